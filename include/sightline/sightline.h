// Sightline: every collision and self-intersection of triangle meshes, exactly.
#pragma once

#include "sightline/assembly.h"
#include "sightline/contact.h"
#include "sightline/cuda.h"
#include "sightline/devices.h"
#include "sightline/error.h"
#include "sightline/intersection.h"
#include "sightline/mesh.h"
#include "sightline/method.h"
#include "sightline/options.h"
#include "sightline/query.h"
#include "sightline/read.h"
#include "sightline/topology.h"
