#include "rewriter/device_pass.hpp"

#include "rewriter/source.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace launch_rewriter {
namespace {

/// A line of the preprocessor's output, and where it stood.
struct Line
{
    std::string_view text;
    std::string file;
    std::size_t number = 0;
    bool of_system = false;

    [[nodiscard]] auto key() const { return std::tie(file, number, text); }
};

enum class Side
{
    host,
    device,
    both
};

/// The body of a function, from `{` to `}`, as offsets into Pass::text.
struct Body
{
    Side side;
    std::size_t open;
    std::size_t close;
};

/// What the preprocessor made of the source for one side.
class Pass
{
  public:
    explicit Pass(std::string_view preprocessed)
    {
        Line next;
        for (std::size_t begin = 0; begin < preprocessed.size();) {
            const std::size_t end = std::min(preprocessed.find('\n', begin), preprocessed.size());
            next.text = preprocessed.substr(begin, end - begin);
            begin = end + 1;
            if (const auto mark = line_mark(next.text)) {
                next.file = mark->file;
                next.number = mark->line;
                next.of_system = mark->of_system;
                continue;
            }
            if (next.text.find_first_not_of(" \t\r") != next.text.npos) {
                lines.push_back(next);
                starts.push_back(text.size());
                text += std::string(next.text) + '\n';
            }
            ++next.number;
        }
    }

    /// The line that holds an offset into the text.
    [[nodiscard]] std::size_t line_at(std::size_t offset) const
    {
        return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), offset) -
                                        starts.begin()) -
               1;
    }

    /// The outermost bodies, in order.
    [[nodiscard]] std::vector<Body> bodies() const
    {
        const std::string name;
        const Source source(text, name);
        std::vector<Body> found;
        std::size_t first = 0; // token of the declaration
        for (std::size_t i = 0; i < source.size(); ++i) {
            if (source.is_barrier(i) || source.is_any(i, {";", "}"})) {
                first = i + 1;
            } else if (source.is_any(i, {"(", "["})) {
                i = source.closing(i);
            } else if (source.is(i, "{")) {
                if (!opens_scope(source, first, i)) {
                    const std::size_t close = std::min(source.closing(i), source.size() - 1);
                    if (!source.is_any(i - 1, {"=", ","}))
                        found.push_back(
                            {side_of(source, first, i), source[i].begin, source[close].begin});
                    i = close;
                    if (!source.is_any(i + 1, {";", ",", "="}))
                        first = i + 1;
                    continue;
                }
                first = i + 1;
            }
        }
        return found;
    }

    std::vector<Line> lines;
    std::string text; ///< the lines alone
    std::vector<std::size_t> starts;

  private:
    /// True for the brace of a namespace or a class.
    static bool opens_scope(const Source& source, std::size_t first, std::size_t brace)
    {
        const bool behind_parameters =
            source.is_any(brace - 1, {")", "const", "noexcept", "override"});
        int angles = 0;
        for (std::size_t i = first; i < brace; ++i) {
            angles += source.is(i, "<");
            angles -= source.is(i, ">");
            if (source.is(i, "namespace") ||
                (source.is(i, "extern") && source.is_kind(i + 1, Kind::literal)))
                return true;
            if (angles == 0 && !behind_parameters &&
                source.is_any(i, {"class", "struct", "union", "enum"}))
                return true;
        }
        return false;
    }

    static Side side_of(const Source& source, std::size_t first, std::size_t last)
    {
        if (source.holds(first, last, "__global__"))
            return Side::device;
        if (!source.holds(first, last, "__device__"))
            return Side::host;
        return source.holds(first, last, "__host__") ? Side::both : Side::device;
    }
};

/// A stretch that both passes have, or that they differ in.
struct Stretch
{
    std::size_t host, host_end;
    std::size_t device, device_end;
    bool common;
};

std::vector<Stretch> compare(const Pass& host, const Pass& device)
{
    std::map<std::tuple<std::string, std::size_t, std::string_view>, std::vector<std::size_t>>
        places;
    for (std::size_t i = 0; i < device.lines.size(); ++i)
        places[device.lines[i].key()].push_back(i);
    // The line of the device that a line of the host is, at `from` or behind it.
    const auto same = [&](std::size_t line, std::size_t from) {
        const auto found = places.find(host.lines[line].key());
        if (found == places.end())
            return device.lines.size();
        const auto at = std::lower_bound(found->second.begin(), found->second.end(), from);
        return at == found->second.end() ? device.lines.size() : *at;
    };
    std::vector<Stretch> stretches;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < host.lines.size() || j < device.lines.size()) {
        Stretch next{i, i, j, j, false};
        while (i < host.lines.size() && j < device.lines.size() &&
               host.lines[i].key() == device.lines[j].key()) {
            ++i;
            ++j;
        }
        next.common = i != next.host;
        if (next.common) {
            next.host_end = i;
            next.device_end = j;
            stretches.push_back(next);
            continue;
        }
        for (; i < host.lines.size(); ++i)
            if (same(i, j) != device.lines.size())
                break;
        j = i == host.lines.size() ? device.lines.size() : same(i, j);
        // Lines of one place in which a macro differs are no neighbours of what is left out.
        const auto place = [](const Line& line) { return std::tie(line.file, line.number); };
        while (next.host != i || next.device != j) {
            next.host_end = next.host;
            next.device_end = next.device;
            const auto paired = [&] {
                return next.host_end < i && next.device_end < j &&
                       place(host.lines[next.host_end]) == place(device.lines[next.device_end]);
            };
            if (paired()) {
                ++next.host_end;
                ++next.device_end;
            } else {
                while ((next.host_end < i || next.device_end < j) && !paired())
                    if (next.device_end == j ||
                        (next.host_end < i &&
                         place(host.lines[next.host_end]) < place(device.lines[next.device_end])))
                        ++next.host_end;
                    else
                        ++next.device_end;
            }
            stretches.push_back(next);
            next.host = next.host_end;
            next.device = next.device_end;
        }
    }
    return stretches;
}

/// Lines with marks in front of those that do not follow the one before.
class Output
{
  public:
    void put(const Line& line, std::string_view text)
    {
        if (text.empty())
            return;
        if (line.file != file_ || line.number != number_) {
            result += "# " + std::to_string(line.number) + " " + in_quotes(line.file) +
                      (line.of_system ? " 3\n" : "\n");
        }
        result += std::string(text) + '\n';
        file_ = line.file;
        number_ = line.number + 1;
    }

    std::string result;

  private:
    std::string file_;
    std::size_t number_ = 0;
};

class Join
{
  public:
    Join(std::string_view host, std::string_view device) : host_(host), device_(device) {}

    std::string text()
    {
        const std::vector<Body> bodies = device_.bodies();
        const std::vector<Body> bodies_of_host = host_.bodies();
        const std::vector<Stretch> stretches = compare(host_, device_);
        // The bodies that differ and are for both. Of several in one line, the first.
        std::vector<std::size_t> twice;
        for (const Stretch& stretch : stretches)
            if (const std::size_t body = body_at(bodies, stretch);
                !stretch.common && body != bodies.size() && bodies[body].side == Side::both &&
                (twice.empty() || twice.back() != body))
                twice.push_back(body);
        std::size_t next = 0;
        for (const Stretch& stretch : stretches) {
            const std::size_t body = body_at(bodies, stretch);
            const Side side = body != bodies.size() ? bodies[body].side
                              : stretch.device == stretch.device_end
                                  ? Side::host // outside all functions
                                  : Side::device;
            if (!stretch.common && side == Side::host) {
                put_host(stretch);
                continue;
            }
            for (std::size_t j = stretch.device; j < stretch.device_end; ++j) {
                std::size_t put = device_.starts[j]; // so far, of this line
                const std::size_t end = put + device_.lines[j].text.size();
                for (; next < twice.size() && bodies[twice[next]].close < end; ++next) {
                    const std::size_t close = bodies[twice[next]].close;
                    put_opening(bodies[twice[next]], j, put);
                    put_part(device_, j, put, close);
                    put = close;
                    put_other_body(stretches, bodies[twice[next]], bodies, bodies_of_host);
                }
                if (next < twice.size() && device_.line_at(bodies[twice[next]].open) == j)
                    put_opening(bodies[twice[next]], j, put);
                put_part(device_, j, put, end);
            }
            // Two groups, one for each side, with nothing between them.
            if (!stretch.common && body == bodies.size() && !declare_the_same(stretch))
                put_host(stretch);
        }
        return output_.result;
    }

  private:
    void put_host(const Stretch& stretch)
    {
        for (std::size_t i = stretch.host; i < stretch.host_end; ++i)
            output_.put(host_.lines[i], host_.lines[i].text);
    }

    /// The names that lines declare: those behind a type.
    static std::set<std::string> declared(const Pass& pass, std::size_t first, std::size_t last)
    {
        std::string text;
        for (std::size_t i = first; i < last; ++i)
            text += std::string(pass.lines[i].text) + '\n';
        const std::string name;
        const Source source(text, name);
        std::set<std::string> names;
        for (std::size_t i = 1; i + 1 < source.size(); ++i)
            if (source.is_word(i) && source.is_any(i + 1, {"(", "[", "=", ";", "{"}) &&
                (source.is_word(i - 1) || source.is_any(i - 1, {"*", "&", ">"})))
                names.emplace(source[i].text);
        return names;
    }

    [[nodiscard]] bool declare_the_same(const Stretch& stretch) const
    {
        const auto of_host = declared(host_, stretch.host, stretch.host_end);
        const auto of_device = declared(device_, stretch.device, stretch.device_end);
        return std::any_of(of_host.begin(), of_host.end(),
                           [&](const std::string& name) { return of_device.count(name) != 0; });
    }

    /// The body of which the device's lines of a stretch hold something, or, without lines, in
    /// which it lies; bodies.size() if there is none.
    [[nodiscard]] std::size_t body_at(const std::vector<Body>& bodies, const Stretch& stretch) const
    {
        const auto start = [this](std::size_t line) {
            return line < device_.starts.size() ? device_.starts[line] : device_.text.size();
        };
        const std::size_t begin = start(stretch.device);
        // A line that both have and a macro makes different may be a whole function.
        const bool paired =
            stretch.device_end == stretch.device + 1 && stretch.host_end == stretch.host + 1 &&
            device_.lines[stretch.device].number == host_.lines[stretch.host].number;
        const std::size_t end = paired ? start(stretch.device_end) : begin;
        const auto found = std::find_if(bodies.begin(), bodies.end(), [&](const Body& body) {
            return (body.open < begin || body.open < end) && begin <= body.close;
        });
        return static_cast<std::size_t>(found - bodies.begin());
    }

    void put_part(const Pass& pass, std::size_t line, std::size_t begin, std::size_t end)
    {
        output_.put(pass.lines[line], std::string_view(pass.text).substr(begin, end - begin));
    }

    /// Puts what stands before the body, if its line is this one, and the choice.
    void put_opening(const Body& body, std::size_t line, std::size_t& put)
    {
        if (device_.line_at(body.open) != line || body.open < put)
            return;
        put_part(device_, line, put, body.open);
        put = body.open;
        output_.put(device_.lines[line], "{ if (::cpu_device::in_kernel())");
    }

    /// Puts the end of the device's body, and the host's.
    void put_other_body(const std::vector<Stretch>& stretches, const Body& body,
                        const std::vector<Body>& device_bodies,
                        const std::vector<Body>& bodies_of_host)
    {
        const Line& last = device_.lines[device_.line_at(body.close)];
        output_.put(last, "}");
        const std::size_t opening = device_.line_at(body.open);
        for (const Stretch& stretch : stretches) {
            if (opening < stretch.device || opening >= stretch.device_end)
                continue;
            const std::size_t line = stretch.host + opening - stretch.device;
            if (line >= stretch.host_end)
                continue;
            // As many bodies begin before it in its line.
            const auto in_line = [](const Pass& pass, std::size_t number, std::size_t offset) {
                return offset >= pass.starts[number] &&
                       offset < pass.starts[number] + pass.lines[number].text.size();
            };
            auto skipped =
                std::count_if(device_bodies.begin(), device_bodies.end(), [&](const Body& other) {
                    return in_line(device_, opening, other.open) && other.open < body.open;
                });
            const auto other = std::find_if(
                bodies_of_host.begin(), bodies_of_host.end(), [&](const Body& candidate) {
                    return in_line(host_, line, candidate.open) && skipped-- == 0;
                });
            if (other == bodies_of_host.end())
                continue;
            const std::size_t open = other->open;
            output_.put(last, "else");
            const std::size_t closing = host_.line_at(other->close);
            for (std::size_t i = line; i <= closing; ++i) {
                const std::size_t begin = i == line ? open : host_.starts[i];
                const std::size_t end =
                    i == closing ? other->close + 1 : host_.starts[i] + host_.lines[i].text.size();
                put_part(host_, i, begin, end);
            }
        }
    }

    Pass host_;
    Pass device_;
    Output output_;
};

} // namespace

std::string join_passes(std::string_view host, std::string_view device)
{
    return Join(host, device).text();
}

} // namespace launch_rewriter
