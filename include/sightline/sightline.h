// Sightline: every collision and self-intersection of triangle meshes, exactly. All headers of the core library.
#pragma once

#include "sightline/assembly.h"
#include "sightline/contact.h"
#include "sightline/cuda.h"
#include "sightline/curves.h"
#include "sightline/depth.h"
#include "sightline/measure.h"
#include "sightline/mesh.h"
#include "sightline/query.h"
#include "sightline/version.h"
