/// \file
/// Programs that are run, and what they leave on the disk.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace own_program {

using Command = std::vector<std::string>;

/// Runs a program, found by PATH, with all that it says in the file `messages`; returns its exit
/// status, 127 where there is no such program.
[[nodiscard]] int run(const Command& command, const std::filesystem::path& messages);

/// Runs each of `tasks` in a process of its own, as many at a time as there are processors; returns
/// whether each of them returned true.
[[nodiscard]] bool run_at_once(const std::vector<std::function<bool()>>& tasks);

/// Runs `work` in a process of its own, with a new folder in `parent` that is removed however it
/// ends, by a signal too, and returns what it returned: an exit status. Where this process itself
/// was killed, the next call removes the folder. Throws std::filesystem::filesystem_error where the
/// folder cannot be made.
[[nodiscard]] int run_with_folder(const std::filesystem::path& parent,
                                  const std::function<int(const std::filesystem::path&)>& work);

/// While it lives, says a sentence on standard error every few seconds: whoever waits is to see
/// that something goes on. One at a time.
class StillAtWork
{
  public:
    explicit StillAtWork(const std::string& sentence, unsigned seconds = 4);
    StillAtWork(const StillAtWork&) = delete;
    StillAtWork& operator=(const StillAtWork&) = delete;
    ~StillAtWork();
};

/// A new file in memory, by its name for this process and those that it forks: on a full disk the
/// messages that say so could not be kept. Throws std::system_error where there can be no more.
[[nodiscard]] std::filesystem::path file_in_memory();

[[nodiscard]] std::string read_file(const std::filesystem::path& file);

} // namespace own_program
