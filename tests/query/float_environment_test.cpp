// Answers do not depend on the floating-point settings of the host program, and these are left as they were.
#include "base/float_environment.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cfenv>
#include <optional>

#include "base/parallel.h"
#include "method/run.h"
#include "read/files.h"
#include "scenes/scenes.h"
#include "sightline/assembly.h"
#include "sightline/contact.h"
#include "sightline/io.h"
#include "sightline/mesh.h"
#include "sightline/query.h"
#include "support/corpus.h"

namespace {

using namespace testing_support;
using sightline::FloatEnvironment;
using sightline::Options;
using sightline::Report;
using sightline::Scene;
using sightline::Workers;
using sightline::papers::MethodName;

/// Controls and flags of the calling thread. No flag is read from the x87 where there is none.
struct Settings {
#if defined(__x86_64__)
  std::uint32_t sse = 0;
  std::uint16_t control = 0, status = 0;
#else
  int rounding = 0, flags = 0;
#endif
  friend bool operator==(const Settings&, const Settings&) = default;
};

#if defined(__x86_64__)
Settings settings() {
  Settings now;
  asm volatile("stmxcsr %0" : "=m"(now.sse));
  asm volatile("fnstcw %0" : "=m"(now.control));
  asm volatile("fnstsw %0" : "=a"(now.status));
  now.status &= 0xFF;
  return now;
}
void set(const Settings& wanted) {
  asm volatile("fninit");
  asm volatile("fldcw %0" : : "m"(wanted.control));
  asm volatile("ldmxcsr %0" : : "m"(wanted.sse));
}
#else
Settings settings() { return {std::fegetround(), std::fetestexcept(FE_ALL_EXCEPT)}; }
void set(const Settings& wanted) {
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(wanted.flags);
  std::fesetround(wanted.rounding);
}
#endif

struct Mode {
  const char* name;
  Settings settings;
};
#if defined(__x86_64__)
const std::vector<Mode> kModes = {
    {"default_settings", {0x1F80, 0x037F}},
    {"upward", {0x5F80, 0x0B7F}},
    {"downward", {0x3F80, 0x077F}},
    {"toward_zero", {0x7F80, 0x0F7F}},
    {"flush_to_zero", {0x9FC0, 0x037F}},
    {"x87_in_double_precision", {0x1F80, 0x027F}},
    {"x87_in_single_precision_upward", {0x1F80, 0x087F}},
    {"exceptions_unmasked", {0x0000, 0x0340}},
    {"all_flags_raised_and_upward", {0x5FBF, 0x0B7F}},
};
#else
const std::vector<Mode> kModes = {{"default_settings", {FE_TONEAREST, 0}},
                                  {"upward", {FE_UPWARD, 0}},
                                  {"downward", {FE_DOWNWARD, 0}},
                                  {"toward_zero", {FE_TOWARDZERO, 0}},
                                  {"all_flags_raised_and_upward", {FE_UPWARD, FE_ALL_EXCEPT}}};
#endif

/// The settings of a mode for as long as it lives.
class In {
 public:
  explicit In(const Mode& mode) : before_(settings()) { set(mode.settings); }
  ~In() { set(before_); }

 private:
  Settings before_;
};

// ---- all answers of the library, as numbers

struct Answer {
  std::string name;
  std::vector<std::uint64_t> numbers;

  void add(std::uint64_t value) { numbers.push_back(value); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(const Vec3d& point) {
    for (const double x : point) add(x);
  }
  void add(const sightline::Contact& c) {
    for (const std::uint32_t x : {c.object_a, c.object_b, c.a, c.b}) add(std::uint64_t{x});
    add(static_cast<std::uint64_t>(c.kind));
  }
  void add(const Report& report) {
    for (const auto& contact : report.contacts) add(contact);
  }
  void add(const sightline::papers::Report& report) {
    add(static_cast<const Report&>(report));
    for (const auto& t : report.method.pcs) add(std::uint64_t{t.object} << 32 | t.triangle);
    for (const auto& p : report.method.penetrations) add(std::uint64_t{p.a}), add(p.normal), add(p.position);
  }
};

const std::vector<const char*> kItems = {
    "needles_thin", "needles_float",   "slivers",       "slivers_float",     "denormals",      "denormal_soup",
    "float_tiny",   "float_denormals", "lattice_tenth", "lattice_field",     "far_double_1e7", "far_lattice_1e6",
    "flat_scene_x", "degenerates",     "huge_1e300",    "tiny_1e_minus_300", "float_both",     "big_two_bodies"};

/// The input of the calls, made once and before any mode is set.
struct Questions {
  std::vector<Mesh> meshes;
  std::vector<std::vector<Mesh>> parts;
  std::vector<sightline::Assembly> assemblies;
  std::vector<Mesh> tori;
  std::vector<std::filesystem::path> files;
  sightline::test::Folder folder;

  Questions() {
    for (const char* name : kItems) {
      meshes.push_back(corpus_item(name).make());
      parts.push_back(dealt(meshes.back(), 3));
    }
    assemblies.push_back(sightline::scenes::demo_assembly());
    const auto tenth = [](double x) { return sightline::scenes::box({0.1 * x, 0.1, 0.3}, {0.1 * x + 0.1, 0.7, 0.9}); };
    sightline::Assembly& boxes = assemblies.emplace_back();
    for (const double x : {0.0, 1.0, 2.7, 4.1}) boxes.add(tenth(x));
    sightline::Assembly& spheres = assemblies.emplace_back();
    spheres.add(sightline::scenes::sphere(3000));
    spheres.add(sightline::scenes::sphere(3000, {2.1, 0.3, 0.1}));
    spheres.add(sightline::scenes::sphere(500, {0.1, 0, 0}, 0.3));
    tori = {as_double(sightline::scenes::torus(900)), as_double(sightline::scenes::torus(900, {0.9, 0.1, 0.2}))};
    write_files();
  }

  void write_files() {
    const std::vector<std::string> numbers = {"0.1",
                                              "-0.7",
                                              "3.3333333333333333333333",
                                              "9007199254740993",
                                              "1e-320",
                                              "4.9406564584124654e-324",
                                              "2.2250738585072011e-308",
                                              "-1.00000000000000011102230246251565404236316680908203126",
                                              "123456789.987654321e-7"};
    std::string obj, off = "OFF\n3 1 0\n", stl = "solid a\nfacet normal 0 0 1\nouter loop\n",
                     ply =
                         "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n"
                         "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    for (int v = 0; v < 3; ++v) {
      const std::string point = numbers[3 * v] + " " + numbers[3 * v + 1] + " " + numbers[3 * v + 2] + "\n";
      obj += "v " + point;
      off += point;
      ply += point;
      stl += "vertex " + point;
    }
    files = {folder.write("a.obj", obj + "f 1 2 3\n"), folder.write("a.off", off + "3 0 1 2\n"),
             folder.write("a.ply", ply + "3 0 1 2\n"), folder.write("a.stl", stl + "endloop\nendfacet\nendsolid a\n")};
  }
};

/// Calls every function with so many threads. After each public function the settings must be those from before.
class Asking {
 public:
  Asking(const Questions& questions, unsigned threads) : questions_(questions) { options_.threads = threads; }

  std::vector<Answer> all() {
    for (std::size_t i = 0; i < kItems.size(); ++i) {
      contacts(i);
      shape(i);
    }
    for (const sightline::Assembly& assembly : questions_.assemblies) relations(assembly);
    for (const MethodName method : {MethodName::cullide, MethodName::quick_cullide, MethodName::self_cullide,
                                    MethodName::peel, MethodName::cinder, MethodName::velocity})
      by_method(method);
    for (const auto& file : questions_.files) numbers(file);
    return answers_;
  }
  std::vector<std::string> changed;  ///< functions that did not put the settings back

 private:
  template <typename Call>
  auto checked(const std::string& name, const Call& call) {
    const Settings before = settings();
    auto result = call();
    if (settings() != before) changed.push_back(name);
    return result;
  }
  Answer& answer(const std::string& name) { return answers_.emplace_back(Answer{name, {}}); }

  void contacts(std::size_t item) {
    const std::string name = kItems[item];
    const MeshView mesh = questions_.meshes[item];
    const Report own = checked("self_intersections", [&] { return self_intersections(mesh, options_); });
    answer("self-intersections of " + name).add(own);
    Answer& points = answer("points of " + name);
    for (std::size_t i = 0; i < own.contacts.size(); i += 1 + own.contacts.size() / 100) {
      const auto found = checked("intersection", [&] { return intersection(mesh, own.contacts[i]); });
      for (const Vec3d& p : found.points()) points.add(p);
    }
    Scene scene;
    for (const Mesh& part : questions_.parts[item]) checked("add", [&] { return scene.add(part); });
    checked("move", [&] { return scene.move(0, questions_.parts[item][0].view().positions), 0; });
    checked("replace", [&] { return scene.replace(1, questions_.parts[item][1]), 0; });
    answer("contacts of " + name).add(checked("collide", [&] { return scene.collide(options_); }));
  }

  void shape(std::size_t item) {
    const MeshView mesh = questions_.meshes[item];
    Answer& mine = answer(std::string("topology of ") + kItems[item]);
    const auto found = checked("topology", [&] { return topology(mesh); });
    mine.add(std::uint64_t{found.components});
    for (const std::uint64_t x : {found.vertices, found.open_edges, found.nonmanifold_edges, found.duplicates})
      mine.add(x);
    for (const std::uint32_t t : found.degenerate) mine.add(std::uint64_t{t});
    if (mesh.positions.size() > 5000) return;
    const Vec3d& at = std::get<1>(questions_.tori[0].positions)[item];
    for (const Mesh& torus : questions_.tori)
      mine.add(static_cast<std::uint64_t>(checked("side_of", [&] { return side_of(torus, at); })));
    checked("validate", [&] { return validate(mesh), 0; });
  }

  void relations(const sightline::Assembly& assembly) {
    for (const double clearance : {0.0, 0.03, 0.5}) {
      Answer& mine = answer("relations");
      const sightline::ClashOptions options{.clearance = clearance, .query = options_};
      for (const sightline::PartPair& c : checked("clashes", [&] { return clashes(assembly, options).pairs; })) {
        mine.add(std::uint64_t{c.a} << 32 | c.b);
        mine.add(static_cast<std::uint64_t>(c.relation));
        mine.add(c.gap);
      }
    }
  }

  void by_method(MethodName method) {
    sightline::papers::method::MethodSettings options;
    options.threads = options_.threads;
    options.method = method;
    if (method != MethodName::velocity) options.paper.resolution = 100;
    Scene scene;
    for (const Mesh& torus : questions_.tori) {
      const auto id = scene.add(torus, {.self = method == MethodName::self_cullide});
      options.paper.motions.push_back(
          sightline::papers::Motion{{0.1, 0.2, 0.3}, {id == 0 ? 0.7 : -0.3, 0.1, 0}, {0, 0.1, 0.3}});
    }
    answer(std::string(to_string(method))).add(checked("method", [&] {
      return sightline::papers::method::run(scene, options);
    }));
  }

  void numbers(const std::filesystem::path& file) {
    Answer& mine = answer(file.filename().string());
    for (const Mesh& mesh : {checked("read_mesh", [&] { return sightline::read_mesh(file); }),
                             checked("read_assembly", [&] { return sightline::read_assembly(file); }).meshes[0]}) {
      if (const auto* points = std::get_if<std::vector<Vec3d>>(&mesh.positions))
        for (const Vec3d& p : *points) mine.add(p);
      else
        for (const Vec3f& p : std::get<0>(mesh.positions))
          for (const float x : p) mine.add(std::uint64_t{std::bit_cast<std::uint32_t>(x)});
    }
  }

  const Questions& questions_;
  Options options_;
  std::vector<Answer> answers_;
};

class HostSettings : public testing::TestWithParam<std::tuple<std::size_t, unsigned>> {
 protected:
  const Mode& mode() const { return kModes[std::get<0>(GetParam())]; }
  unsigned threads() const { return std::get<1>(GetParam()); }
};

TEST_P(HostSettings, DoNotChangeAnAnswer) {
  const Questions questions;
  const std::vector<Answer> expected = Asking(questions, 1).all();
  Asking asking(questions, threads());
  std::optional<std::vector<Answer>> found;
  {
    const In in(mode());
    found = asking.all();
  }
  ASSERT_EQ(found->size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE((*found)[i].numbers == expected[i].numbers) << expected[i].name << " differs";
  EXPECT_TRUE(asking.changed.empty()) << asking.changed.front() << " changed the settings of its caller";
}

TEST_P(HostSettings, AreTheDefaultInEveryTask) {
  const Settings wanted = kModes[0].settings;
  std::atomic<int> wrong{0}, tasks{0};
  const auto look = [&] {
    ++tasks;
    Settings now = settings();
#if defined(__x86_64__)
    now.sse &= ~0x3Fu;  // flags are not of interest
    now.status = 0;
    if (now.sse != wanted.sse || (now.control & 0x0F3F) != (wanted.control & 0x0F3F)) ++wrong;
#else
    if (now.rounding != wanted.rounding) ++wrong;
#endif
  };
  {
    const In in(mode());
    const Settings before = settings();
    {
      const FloatEnvironment environment;  // as each public function has it
      Workers workers(threads());
      workers.for_each(200, [&](std::size_t) {
        look();
        workers.both(look, look);
        if (workers.count() > 1) set(kModes[3].settings);  // must not last longer than its task
      });
      workers.for_each(200, [&](std::size_t) { look(); });
    }
    if (settings() != before) ++wrong;
  }
  EXPECT_EQ(tasks, 800);
  EXPECT_EQ(wrong, 0);
}

TEST_P(HostSettings, AreBackAfterAnException) {
  Mesh bad = corpus_item("lattice_field").make();
  const Mesh good = bad;
  std::get<1>(bad.positions)[5][1] = std::numeric_limits<double>::quiet_NaN();
  struct Stop {};
  Options stop{.threads = threads()};
  stop.cancel = []() -> bool { throw Stop(); };
  int thrown = 0, changed = 0;
  Scene scene;
  scene.add(good, {.self = true});
  const std::filesystem::path missing = "/no/such/file.obj";
  {
    const In in(mode());
    const Settings before = settings();
    const auto expect = [&](const auto& call) {
      try {
        call();
      } catch (const sightline::Error&) {
        ++thrown;
      } catch (const Stop&) {
        ++thrown;
      }
      if (settings() != before) ++changed;
    };
    expect([&] { self_intersections(bad, stop); });
    expect([&] { scene.replace(0, bad); });
    expect([&] { scene.collide(stop); });
    expect([&] { sightline::read_mesh(missing); });
    expect([&] { topology(bad); });
    expect([&] { side_of(bad, {0, 0, 0}); });
    expect([&] { validate(bad); });
  }
  EXPECT_EQ(thrown, 7);
  EXPECT_EQ(changed, 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, HostSettings,
                         testing::Combine(testing::Range<std::size_t>(1, kModes.size()), testing::Values(1, 2, 5, 0)),
                         [](const auto& info) {
                           return std::string(kModes[std::get<0>(info.param)].name) + "_" +
                                  std::to_string(std::get<1>(info.param)) + "_threads";
                         });

TEST(Callbacks, MayNotChangeTheSettingsOfTheirQuery) {
  const Mesh mesh = corpus_item("big_two_bodies").make(), thin = corpus_item("slivers").make();
  for (const MeshView& view : {MeshView(mesh), MeshView(thin)}) {
    const auto expected = sightline::self_intersections(view, {.threads = 1}).contacts;
    for (const unsigned threads : {1u, 3u}) {
      const Settings before = settings();
      Options options{.threads = threads};
      std::atomic<int> calls{0};
      options.cancel = [&] {
        set(kModes[1 + calls++ % 4].settings);
        return false;
      };
      options.progress = [&](double) { set(kModes[1 + calls++ % 4].settings); };
      const Report report = sightline::self_intersections(view, options);
      const Settings after = settings();
      set(before);
      EXPECT_TRUE(after == before);
      EXPECT_GT(calls, 0);
      EXPECT_EQ(report.contacts, expected);
    }
  }
}

#if defined(__x86_64__)
TEST(Environment, KeepsFlagsOfBothUnits) {
  const In in(kModes[0]);
  volatile long double one = 1, three = 3;
  [[maybe_unused]] volatile long double x87 = 0;
  [[maybe_unused]] volatile double sse = 0;
  const Settings clean = settings();
  {
    const FloatEnvironment environment;
    x87 = one / three;
    sse = 1 / static_cast<double>(three);
    EXPECT_NE(settings().status, clean.status);
    EXPECT_NE(settings().sse, clean.sse);
  }
  EXPECT_TRUE(settings() == clean) << "what was raised within is gone";
  x87 = one / three;
  sse = 1 / static_cast<double>(three);
  const Settings raised = settings();
  EXPECT_FALSE(raised == clean);
  {
    const FloatEnvironment environment;
    set(kModes[0].settings);
    EXPECT_TRUE(settings() == clean);
  }
  EXPECT_TRUE(settings() == raised) << "what was raised before is back";
}

TEST(Environment, APendingExceptionOfTheX87StaysPending) {
  const In in(kModes[0]);
  volatile long double one = 1, zero = 0, infinity = one / zero;
  std::uint16_t unmasked = 0x037B;  // division by zero, which has its flag raised
  asm volatile("fldcw %0" : : "m"(unmasked));
  const Settings before = settings();
  bool same = false;
  {
    const FloatEnvironment environment;
    infinity = one / one;  // would raise the signal
  }
  same = settings() == before;
  asm volatile("fnclex");
  EXPECT_TRUE(same);
  EXPECT_EQ(infinity, 1);
}
#endif

}  // namespace
