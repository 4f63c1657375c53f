// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Everything that differs between the supported CAF versions (0.18.7 up to 1.1), and the few uses
// of `caf::detail`, live in this header. Versions are told apart by the headers that exist, because
// CAF 1.x defines CAF_VERSION as an octal literal.

#include <caf/actor_proxy.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/config.hpp>
#include <caf/detail/message_data.hpp>
#include <caf/detail/meta_object.hpp>
#include <caf/detail/type_id_list_builder.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/proxy_registry.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>
#include <caf/span.hpp>
#include <caf/timespan.hpp>
#include <caf/type_id.hpp>
#include <caf/type_id_list.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if __has_include(<caf/anon_mail.hpp>)
#  define CAFWIRE_CAF_1 1
#  include <caf/scheduler.hpp>
#  include <caf/thread_owner.hpp>
#else
#  define CAFWIRE_CAF_1 0
#  include <caf/byte.hpp>
#  include <caf/execution_unit.hpp>
#  include <caf/optional.hpp>
#  include <caf/scheduler/abstract_coordinator.hpp>
#  include <caf/string_view.hpp>
#  include <caf/variant.hpp>
#endif

namespace cafwire::compat {

// -- vocabulary types -----------------------------------------------------------------------------

#if CAFWIRE_CAF_1
/// The string view in the signatures of CAF's inspection API.
using string_view = std::string_view;

/// The byte type of `caf::byte_buffer`.
using byte = std::byte;

/// What `enqueue` and `cleanup` take as their execution context.
using context = caf::scheduler;

template <class... Ts>
using type_list = caf::type_list<Ts...>;
#else
using string_view = caf::string_view;
using byte = caf::byte;
using context = caf::execution_unit;

template <class... Ts>
using type_list = caf::detail::type_list<Ts...>;
#endif

inline std::string_view to_std(string_view x) noexcept {
  return {x.data(), x.size()};
}

inline string_view from_std(std::string_view x) noexcept {
  return {x.data(), x.size()};
}

// -- type IDs -------------------------------------------------------------------------------------

/// Returns the meta object of a type ID or `nullptr` if nobody registered it.
inline const caf::detail::meta_object* meta_object_of(caf::type_id_t id) noexcept {
#if CAFWIRE_CAF_1
  return caf::detail::global_meta_object_or_null(id);
#else
  return caf::detail::global_meta_object(id);
#endif
}

/// Returns the name of a type ID, or an empty string if nobody registered it.
inline std::string_view type_name(caf::type_id_t id) noexcept {
  auto* meta = meta_object_of(id);
  return meta != nullptr ? to_std(meta->type_name) : std::string_view{};
}

/// Returns whether CAF's table of meta objects has been set up, which creating a `caf::message`
/// requires.
inline bool core_meta_objects_ready() noexcept {
  return !caf::detail::global_meta_objects().empty();
}

/// Interns a list of type IDs. Takes a global lock: call it once per signature, not per message.
inline caf::type_id_list intern(const std::vector<caf::type_id_t>& ids) {
  if (ids.empty())
    return caf::make_type_id_list();
  caf::detail::type_id_list_builder builder;
  for (auto id : ids)
    builder.push_back(id);
  return builder.move_to_list();
}

// -- messages -------------------------------------------------------------------------------------

using message_data_ptr = caf::intrusive_ptr<caf::detail::message_data>;

/// Allocates the storage of a message without constructing its elements.
/// @param storage_size sum of the padded sizes of all elements, in bytes.
/// @returns `nullptr` if there is not enough memory.
inline message_data_ptr make_message_data(caf::type_id_list types, size_t storage_size) noexcept {
  auto* memory = std::malloc(sizeof(caf::detail::message_data) + storage_size);
  if (memory == nullptr)
    return nullptr;
  return message_data_ptr{new (memory) caf::detail::message_data(types), false};
}

inline caf::message to_message(message_data_ptr data) noexcept {
  return caf::message{caf::message::data_ptr{data.release(), false}};
}

inline caf::mailbox_element_ptr make_element(caf::strong_actor_ptr sender, caf::message_id id,
                                             caf::message content) {
#if CAFWIRE_CAF_1
  return caf::make_mailbox_element(std::move(sender), id, std::move(content));
#else
  return caf::make_mailbox_element(std::move(sender), id, {}, std::move(content));
#endif
}

// -- errors ---------------------------------------------------------------------------------------

namespace detail {

/// An inspector that puts the parts of an error in their place.
struct error_maker {
  static constexpr bool is_loading = true;

  uint8_t code;
  caf::type_id_t category;
  caf::message context;

  struct object_t {
    bool fields(bool) const noexcept {
      return true;
    }
  };

  object_t object(caf::error&) const noexcept {
    return {};
  }

  bool field(string_view, std::unique_ptr<caf::error::data>& data) {
    data.reset(new caf::error::data{code, category, std::move(context)});
    return true;
  }
};

} // namespace detail

/// Creates an error from its parts. CAF only offers this for enums that are known at compile time.
/// @pre `code != 0`
inline caf::error make_error(uint8_t code, caf::type_id_t category, caf::message details) {
  caf::error result;
  detail::error_maker f{code, category, std::move(details)};
  std::ignore = inspect(f, result);
  return result;
}

// -- sum types ------------------------------------------------------------------------------------

template <class T>
struct is_optional : std::false_type {};

template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

/// Uniform access to variants.
template <class T>
struct variant_traits;

template <class... Ts>
struct variant_traits<std::variant<Ts...>> {
  using type = std::variant<Ts...>;

  static constexpr size_t size = sizeof...(Ts);

  template <template <class...> class Template>
  using rebind = Template<Ts...>;

  template <size_t I>
  static auto& get(const type& x) {
    return *std::get_if<I>(&x);
  }

  template <size_t I, class... Args>
  static auto& emplace(type& x, Args&&... args) {
    return x.template emplace<I>(std::forward<Args>(args)...);
  }
};

#if !CAFWIRE_CAF_1
template <class T>
struct is_optional<caf::optional<T>> : std::true_type {};

template <class... Ts>
struct variant_traits<caf::variant<Ts...>> {
  using type = caf::variant<Ts...>;

  static constexpr size_t size = sizeof...(Ts);

  template <template <class...> class Template>
  using rebind = Template<Ts...>;

  template <size_t I>
  static auto& get(const type& x) {
    return *caf::get_if<std::tuple_element_t<I, std::tuple<Ts...>>>(&x);
  }

  template <size_t I, class... Args>
  static auto& emplace(type& x, Args&&... args) {
    using alternative = std::tuple_element_t<I, std::tuple<Ts...>>;
    x = alternative{std::forward<Args>(args)...};
    return *caf::get_if<alternative>(&x);
  }
};
#endif

// -- start-up -------------------------------------------------------------------------------------

#if CAFWIRE_CAF_1
using actor_system_module = caf::actor_system_module;
#  define CAFWIRE_INIT_HOST_SYSTEM(...)                                                            \
    [[maybe_unused]] auto host_init_guard                                                          \
      = caf::detail::do_init_host_system(caf::type_list<>{}, caf::type_list<__VA_ARGS__>{});
#else
using actor_system_module = caf::actor_system::module;
#  define CAFWIRE_INIT_HOST_SYSTEM(...)
#endif

// -- requests -------------------------------------------------------------------------------------

/// Sends a request and returns the handle for its response.
template <class Self, class Handle, class... Ts>
auto request(Self& self, const Handle& dst, caf::timespan timeout, Ts&&... xs) {
#if CAFWIRE_CAF_1
  return self->mail(std::forward<Ts>(xs)...).request(dst, timeout);
#else
  return self->request(dst, timeout, std::forward<Ts>(xs)...);
#endif
}

// -- scheduling -----------------------------------------------------------------------------------

/// Hands a resumable over to the scheduler of the system.
inline void schedule(caf::actor_system& sys, caf::resumable* what) {
#if CAFWIRE_CAF_1
  sys.scheduler().schedule(what);
#else
  sys.scheduler().enqueue(what);
#endif
}

/// Starts a thread that belongs to the system: it has the system's logger and hooks.
template <class F>
std::thread launch_thread(caf::actor_system& sys, const char* name, F fun) {
#if CAFWIRE_CAF_1
  return sys.launch_thread(name, caf::thread_owner::other, std::move(fun));
#else
  return sys.launch_thread(name, std::move(fun));
#endif
}

/// A task that runs in the threads of CAF's scheduler, in one of them at a time. Create it with
/// `caf::make_counted`.
class job : public caf::ref_counted, public caf::resumable {
public:
  /// Has the scheduler of the system call `run` soon.
  /// @pre it does not run and is not scheduled.
  void schedule_in(caf::actor_system& sys) {
    ref(); // taken over by the scheduler
    compat::schedule(sys, this);
  }

  resume_result resume(context* where, size_t) final {
    return run(*where) ? resume_later : awaiting_message;
  }

#if CAFWIRE_CAF_1
  subtype_t subtype() const noexcept final {
    return function_object;
  }

  void ref_resumable() const noexcept final {
    ref();
  }

  void deref_resumable() const noexcept final {
    deref();
  }
#else
  subtype_t subtype() const final {
    return function_object;
  }

  void intrusive_ptr_add_ref_impl() final {
    ref();
  }

  void intrusive_ptr_release_impl() final {
    deref();
  }
#endif

protected:
  /// Does a part of the work.
  /// @returns whether to call again, after others had their turn.
  virtual bool run(context& where) = 0;
};

/// An execution context that only remembers which actors became runnable, so that a burst of
/// messages for one actor wakes it once. Belongs to one thread at a time.
class deferring_context :
#if CAFWIRE_CAF_1
  public caf::scheduler
#else
  public caf::execution_unit
#endif
{
public:
#if CAFWIRE_CAF_1
  explicit deferring_context(caf::actor_system& sys) : system_(&sys) {
    // nop
  }

  void schedule(caf::resumable* what) override {
    ready_.push_back(what);
  }

  void delay(caf::resumable* what) override {
    ready_.push_back(what);
  }

  void start() override {
    // nop
  }

  void stop() override {
    // nop
  }
#else
  explicit deferring_context(caf::actor_system& sys) : caf::execution_unit(&sys), system_(&sys) {
    // nop
  }

  void exec_later(caf::resumable* what) override {
    ready_.push_back(what);
  }
#endif

  deferring_context(const deferring_context&) = delete;

  deferring_context& operator=(const deferring_context&) = delete;

  /// Schedules everything that became runnable since the last call: the first actor in the thread
  /// of `where`, which has what it needs in its caches, the others wherever there is time.
  /// @param where the thread of the scheduler that calls this, or `nullptr` if another one does.
  void release(context* where) {
    for (size_t i = 0; i < ready_.size(); ++i) {
      if (i > 0 || where == nullptr)
        compat::schedule(*system_, ready_[i]);
      else
#if CAFWIRE_CAF_1
        where->schedule(ready_[i]);
#else
        where->exec_later(ready_[i]);
#endif
    }
    ready_.clear();
  }

private:
  caf::actor_system* system_;
  std::vector<caf::resumable*> ready_;
};

// -- proxies --------------------------------------------------------------------------------------

/// Base of actor proxies. Turns the virtual functions of CAF, which differ between versions, into
/// four of our own.
class proxy_base : public caf::actor_proxy {
public:
  using caf::actor_proxy::actor_proxy;

  bool enqueue(caf::mailbox_element_ptr what, context*) override {
    return forward(std::move(what));
  }

#if CAFWIRE_CAF_1
  const char* name() const override {
    return "cafwire.proxy";
  }
#else
  bool enqueue(caf::strong_actor_ptr sender, caf::message_id id, caf::message content,
               context*) override {
    return forward(make_element(std::move(sender), id, std::move(content)));
  }
#endif

  bool add_backlink(caf::abstract_actor* other) override {
    if (!caf::actor_proxy::add_backlink(other))
      return false;
    linked(other);
    return true;
  }

  bool remove_backlink(caf::abstract_actor* other) override {
    if (!caf::actor_proxy::remove_backlink(other))
      return false;
    unlinked(other);
    return true;
  }

  void kill_proxy(context* ctx, caf::error reason) override {
    killed();
    cleanup(std::move(reason), ctx);
  }

protected:
  /// Takes a message for the remote actor.
  virtual bool forward(caf::mailbox_element_ptr what) = 0;

  /// Called after `other` linked itself to the remote actor. CAF holds the locks of both actors:
  /// must not take the lock of any actor.
  virtual void linked(caf::abstract_actor* other) = 0;

  /// Called after `other` unlinked itself. The same restriction applies.
  virtual void unlinked(caf::abstract_actor* other) = 0;

  /// Called when the remote actor is gone.
  virtual void killed() = 0;

private:
#if CAFWIRE_CAF_1
  void force_close_mailbox() override {
    // nop
  }
#endif
};

} // namespace cafwire::compat
