// The OpenGL functions that the device uses, loaded at run time: nothing is linked, so that a program starts on a
// machine without EGL and can say what is missing.
#pragma once

#include <GL/glcorearb.h>

namespace sightline::papers::gl {

// Each name once: function of the table, type of the pointer.
#define SIGHTLINE_GL_FUNCTIONS(X)                             \
  X(ClientWaitSync, CLIENTWAITSYNC)                           \
  X(DeleteSync, DELETESYNC)                                   \
  X(FenceSync, FENCESYNC)                                     \
  X(MapNamedBufferRange, MAPNAMEDBUFFERRANGE)                 \
  X(NamedBufferStorage, NAMEDBUFFERSTORAGE)                   \
  X(UnmapNamedBuffer, UNMAPNAMEDBUFFER)                       \
  X(AttachShader, ATTACHSHADER)                               \
  X(BeginQuery, BEGINQUERY)                                   \
  X(BindBuffer, BINDBUFFER)                                   \
  X(BindBufferBase, BINDBUFFERBASE)                           \
  X(BindFramebuffer, BINDFRAMEBUFFER)                         \
  X(BindTextureUnit, BINDTEXTUREUNIT)                         \
  X(BindVertexArray, BINDVERTEXARRAY)                         \
  X(ClearNamedFramebufferfv, CLEARNAMEDFRAMEBUFFERFV)         \
  X(ClearNamedFramebufferiv, CLEARNAMEDFRAMEBUFFERIV)         \
  X(ClearNamedFramebufferuiv, CLEARNAMEDFRAMEBUFFERUIV)       \
  X(ColorMaski, COLORMASKI)                                   \
  X(CompileShader, COMPILESHADER)                             \
  X(CopyNamedBufferSubData, COPYNAMEDBUFFERSUBDATA)           \
  X(CreateBuffers, CREATEBUFFERS)                             \
  X(CreateFramebuffers, CREATEFRAMEBUFFERS)                   \
  X(CreateProgram, CREATEPROGRAM)                             \
  X(CreateQueries, CREATEQUERIES)                             \
  X(CreateShader, CREATESHADER)                               \
  X(CreateTextures, CREATETEXTURES)                           \
  X(CreateVertexArrays, CREATEVERTEXARRAYS)                   \
  X(DeleteVertexArrays, DELETEVERTEXARRAYS)                   \
  X(DeleteBuffers, DELETEBUFFERS)                             \
  X(DeleteFramebuffers, DELETEFRAMEBUFFERS)                   \
  X(DeleteProgram, DELETEPROGRAM)                             \
  X(DeleteQueries, DELETEQUERIES)                             \
  X(DeleteShader, DELETESHADER)                               \
  X(DeleteTextures, DELETETEXTURES)                           \
  X(DepthFunc, DEPTHFUNC)                                     \
  X(DepthMask, DEPTHMASK)                                     \
  X(Disable, DISABLE)                                         \
  X(DispatchCompute, DISPATCHCOMPUTE)                         \
  X(DispatchComputeIndirect, DISPATCHCOMPUTEINDIRECT)         \
  X(DrawArrays, DRAWARRAYS)                                   \
  X(Enable, ENABLE)                                           \
  X(EndQuery, ENDQUERY)                                       \
  X(Finish, FINISH)                                           \
  X(GetError, GETERROR)                                       \
  X(GetGraphicsResetStatus, GETGRAPHICSRESETSTATUS)           \
  X(GetInteger64v, GETINTEGER64V)                             \
  X(GetIntegerv, GETINTEGERV)                                 \
  X(GetProgramInfoLog, GETPROGRAMINFOLOG)                     \
  X(GetProgramiv, GETPROGRAMIV)                               \
  X(GetQueryObjectui64v, GETQUERYOBJECTUI64V)                 \
  X(GetShaderInfoLog, GETSHADERINFOLOG)                       \
  X(GetShaderiv, GETSHADERIV)                                 \
  X(GetString, GETSTRING)                                     \
  X(GetStringi, GETSTRINGI)                                   \
  X(GetTextureImage, GETTEXTUREIMAGE)                         \
  X(GetTextureSubImage, GETTEXTURESUBIMAGE)                   \
  X(GetUniformLocation, GETUNIFORMLOCATION)                   \
  X(LinkProgram, LINKPROGRAM)                                 \
  X(MemoryBarrier, MEMORYBARRIER)                             \
  X(NamedBufferData, NAMEDBUFFERDATA)                         \
  X(NamedBufferSubData, NAMEDBUFFERSUBDATA)                   \
  X(NamedFramebufferDrawBuffers, NAMEDFRAMEBUFFERDRAWBUFFERS) \
  X(NamedFramebufferTexture, NAMEDFRAMEBUFFERTEXTURE)         \
  X(CheckNamedFramebufferStatus, CHECKNAMEDFRAMEBUFFERSTATUS) \
  X(Scissor, SCISSOR)                                         \
  X(ShaderSource, SHADERSOURCE)                               \
  X(StencilFunc, STENCILFUNC)                                 \
  X(StencilMask, STENCILMASK)                                 \
  X(StencilOp, STENCILOP)                                     \
  X(TextureBarrier, TEXTUREBARRIER)                           \
  X(TextureParameteri, TEXTUREPARAMETERI)                     \
  X(TextureStorage2D, TEXTURESTORAGE2D)                       \
  X(Uniform1i, UNIFORM1I)                                     \
  X(Uniform1ui, UNIFORM1UI)                                   \
  X(Uniform2i, UNIFORM2I)                                     \
  X(Uniform1dv, UNIFORM1DV)                                   \
  X(UseProgram, USEPROGRAM)                                   \
  X(Viewport, VIEWPORT)

/// The functions of the current context, e.g. api.UseProgram(program).
struct Api {
#define SIGHTLINE_GL_MEMBER(name, type) PFNGL##type##PROC name = nullptr;
  SIGHTLINE_GL_FUNCTIONS(SIGHTLINE_GL_MEMBER)
#undef SIGHTLINE_GL_MEMBER

  /// Throws Error that names the first function that `find` does not know.
  void load(void* (*find)(const char* name));
};

}  // namespace sightline::papers::gl
