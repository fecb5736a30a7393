/// \file
/// Tables of text in columns, for terminals of any width.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace common {

/// Rows of cells below a heading, each column as wide as its widest cell.
class TextTable
{
  public:
    static constexpr int always = 100; ///< importance of a column that never goes

    /// A column and what becomes of it.
    struct Column
    {
        std::vector<std::string> heading = {}; ///< one line or two; what is left out is empty
        bool left = false;       ///< text starts at the left; numbers end at the right
        int importance = always; ///< the least important column goes first from a narrow table
        bool optional = false;   ///< goes where no row has anything in it: "-", "0" or nothing
    };

    /// `gap` blanks stand between columns.
    explicit TextTable(std::vector<Column> columns, std::size_t gap = 2);

    /// Adds a row. Cells that are left out at its end are empty.
    void add(std::vector<std::string> cells);
    /// Takes the optional columns away in which no row has anything.
    void remove_empty_columns();
    /// Takes the least important columns away until the rest is at most `width` wide, then cuts the
    /// cells of the first one and of those with text. Returns the headings of the columns taken,
    /// the most important first.
    [[nodiscard]] std::vector<std::string> fit(std::size_t width);
    /// Columns of the terminal that text() takes.
    [[nodiscard]] std::size_t width() const;
    /// The heading and the rows, a line each.
    [[nodiscard]] std::string text() const;
    /// The rows one below the other, a line for each cell behind its heading, and an empty line
    /// between rows.
    [[nodiscard]] std::string stacked() const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_; ///< each with a cell for each column
    std::vector<std::size_t> widths_;            ///< of the columns
    std::size_t gap_;

    void remove_column(std::size_t column);
    [[nodiscard]] std::string line(const std::vector<std::string>& cells) const;
};

} // namespace common
