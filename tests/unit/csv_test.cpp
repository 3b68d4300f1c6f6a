// SPDX-License-Identifier: BSD-3-Clause
// Reading CSV and TSV: what a table becomes, and the exact place of everything that is wrong.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <filesystem>
#include <set>

#include "data/readers.hpp"
#include "data/text_table.hpp"
#include "halfspace/core/error.hpp"

using namespace halfspace;

namespace {

Dataset table(std::string_view bytes, ReadOptions options = {}, const std::string& name = "t.csv") {
  const auto source = memory_source(bytes, name);
  return Dataset::make(read_csv(*source, name, options));
}

std::vector<double> row(const Dataset& data, std::size_t r) {
  std::vector<double> out(data.features());
  std::visit(
      [&](const auto& view) { for_entries(view.row(r), [&](std::uint32_t j, double x) { out[j] = x; }); },
      data.matrix());
  return out;
}
using Row = std::vector<double>;
using Texts = std::vector<std::string>;

Texts features(const Dataset& data) {
  Texts out;
  for (std::uint32_t j = 0; j < data.features(); ++j) out.push_back(data.feature_name(j));
  return out;
}
Texts labels(const Dataset& data) {
  Texts out;
  for (const std::uint32_t y : data.labels()) out.push_back(data.classes()[y]);
  return out;
}

struct Refusal {
  std::string place, message, hint;
};
Refusal refusal(std::string_view bytes, ReadOptions options = {}, const std::string& name = "t.csv") {
  try {
    static_cast<void>(table(bytes, options, name));
  } catch (const InputError& e) {
    return {fmt::format("{}:{}", e.place().line, e.place().column), e.message(), e.hint()};
  }
  return {"accepted", "", ""};
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a table with a header becomes rows, feature names and sorted classes") {
  const Dataset data = table("f1,f2,label\n1,2,b\n3.5,-4e2,a\n");
  CHECK(features(data) == Texts{"f1", "f2"});
  CHECK(row(data, 0) == Row{1, 2});
  CHECK(row(data, 1) == Row{3.5, -400});
  CHECK(data.classes() == Texts{"a", "b"});
  CHECK(labels(data) == Texts{"b", "a"});
  CHECK(data.encoding()->label_column == "label");
  CHECK(data.name() == "t.csv");
}

TEST_CASE("line ends, final newline, blank lines, blanks around cells and a byte order mark change nothing") {
  const std::string expected = table("x,y\n1,a\n2,b\n").fingerprint();
  CHECK(table("x,y\r\n1,a\r\n2,b\r\n").fingerprint() == expected);
  CHECK(table("x,y\n1,a\n2,b").fingerprint() == expected);
  CHECK(table("x,y\r\n1,a\r\n2,b\r").fingerprint() == expected);
  CHECK(table("\n\n  \nx,y\n\n1,a\n \t\n\n2,b\n\n").fingerprint() == expected);
  CHECK(table(" x , y\n 1 ,\ta \n2\t, b\n").fingerprint() == expected);
  CHECK(table("\xEF\xBB\xBFx,y\n1,a\n2,b\n").fingerprint() == expected);
  CHECK(table("\xEF\xBB\xBFx,y\n1,a\n2,b\n").feature_name(0) == "x");
  CHECK(table("\"x\",\"y\"\n\"1\", \"a\"\n\"2\" ,\"b\"\n").fingerprint() == expected);
}

TEST_CASE("quoted cells hold delimiters, line breaks and doubled quotes") {
  const Dataset data =
      table("c,x,label\n\"a, b\",1,\"say \"\"no\"\"\"\n\"line\nbreak\",2,plain\n\"\"\"\"\"\",3,\"\"\"x\"\n");
  CHECK(features(data) == Texts{"c=\"\"", "c=a, b", "c=line\nbreak", "x"});
  CHECK(labels(data) == Texts{"say \"no\"", "plain", "\"x"});
}

TEST_CASE("a quote inside a cell that does not begin with one is an ordinary character") {
  CHECK(features(table("c,y\n5\" pipe,1\na\"b\"c,2\n")) == Texts{"c=5\" pipe", "c=a\"b\"c"});
}

TEST_CASE("lines are counted through line breaks in quoted cells") {
  const Refusal r = refusal("c,x,y\n\"a\nb\r\nc\",1,p\nd,1,p\ne,oops,q\n");
  CHECK(r.place == "6:3");
  CHECK(refusal("c,x,y\n\"a\nbc\",oops,p\n").place == "accepted");  // the first filled cell of x: a category
  CHECK(refusal("c,x,y\nb,1,q\n\"a\nbc\",oops,p\n").place == "4:5");
}

TEST_CASE("with a tab as delimiter quotes are ordinary characters") {
  const Dataset data = table("c\tlabel\n\"a\tx\nb\"\"\ty\n", {}, "t.tsv");
  CHECK(features(data) == Texts{"c=\"a", "c=b\"\""});
  CHECK(data.encoding()->delimiter == '\t');
}

TEST_CASE("the delimiter follows the option, the name, then the first line") {
  CHECK(features(table("a\tb\ty\n1\t2\tp\n3\t4\tq\n")) == Texts{"a", "b"});
  CHECK(features(table("a b\tc,y\n1\t2,p\n")) == Texts{"a b\tc=1\t2"});
  CHECK(features(table("a\tb, c\ty\n1\t2\tp\n", {}, "t.TSV.gz")) == Texts{"a", "b, c"});
  CHECK(features(table("a;b;y\n1;2;p\n", {.delimiter = ';'})) == Texts{"a", "b"});
  CHECK(features(table("a b y\n1 2 p\n", {.delimiter = ' '})) == Texts{"a", "b"});
  CHECK_THROWS_AS(table("a1b\n", {.delimiter = '1'}), UsageError);
  CHECK_THROWS_AS(table("a\"b\n", {.delimiter = '"'}), UsageError);
}

TEST_CASE("one column only is refused with the delimiter it may have") {
  const Refusal semicolon = refusal("f1;f2;label\n1,5;2,5;a\n");
  CHECK(semicolon.place == "1:1");
  CHECK(has(semicolon.message, "one column found"));
  CHECK(semicolon.hint == "--delimiter ';'");
  CHECK(refusal("f1|label\n1|a\n").hint == "--delimiter '|'");
  CHECK(refusal("f1\n1\n").hint.empty());
}

TEST_CASE("there is a header when no cell of the first row is a number") {
  CHECK(table("a,b\nc,d\n").rows() == 1);
  CHECK(table("a,,b\n1,2,x\n").feature_name(1) == "c2");
  const Dataset none = table("1,red,a\n2,blue,b\n");
  CHECK(none.rows() == 2);
  CHECK(features(none) == Texts{"c1", "c2=blue", "c2=red"});
  CHECK(none.encoding()->label_column == "c3");
  CHECK_FALSE(none.encoding()->header);
  CHECK(table("a,b\nc,d\n", {.header = Header::No}).rows() == 2);
  CHECK(table("1,2,3\n4,5,6\n", {.header = Header::Yes}).feature_name(0) == "1");
  CHECK(refusal("x,x,label\n1,2,a\n").place == "1:3");
  std::vector<std::string> notes;
  static_cast<void>(table("a,b\nc,d\n", {.notes = &notes}));
  CHECK(has(notes.back(), "--header no"));
}

TEST_CASE("the label column is the named one, a usual name, or the last") {
  CHECK(labels(table("a,b,c\n1,2,3\n", {.label = "b"})) == Texts{"2"});
  CHECK(labels(table("a,Class,c\n1,2,3\n")) == Texts{"2"});
  CHECK(labels(table("TARGET,b,c\n1,2,3\n")) == Texts{"1"});
  CHECK(labels(table("a,b,c\n1,2,3\n")) == Texts{"3"});
  CHECK(labels(table("1,2,3\n4,5,6\n", {.label = "2"})) == Texts{"2", "5"});
  CHECK(labels(table("1,2,3\n4,5,6\n", {.label = "c1"})) == Texts{"1", "4"});
  CHECK(labels(table("a,b,c\n1,2,3\n", {.ignore = {"c"}})) == Texts{"2"});
  const Refusal r = refusal("species,island\nx,1\n", {.label = "specis"});
  CHECK(r.place == "1:1");
  CHECK(r.message == "no column 'specis'; the columns are species, island");
  CHECK(r.hint == "did you mean 'species'?");
  CHECK(refusal("1,2\n", {.label = "3"}).place == "1:1");
  CHECK(refusal("a,b\n1,2\n", {.label = "1"}).place == "1:1");
}

TEST_CASE("labels are verbatim texts, or canonical numbers when all are numbers") {
  const Dataset numbers = table("x,y\n1,+1\n2,1.0\n3,-1e0\n4,10\n5,9\n");
  CHECK(numbers.classes() == Texts{"-1", "1", "9", "10"});
  CHECK(labels(numbers) == Texts{"1", "1", "-1", "10", "9"});
  CHECK(table("x,y\n1,1.0\n2,b\n").classes() == Texts{"1.0", "b"});
  CHECK(refusal("x,y\n1,1\n2,nan\n").place == "3:3");
  CHECK(has(refusal("x,y\n1,1\n2,nan\n").message, "not finite"));
  CHECK(table("x,y\n1,Nan\n2,Mary\n").classes() == Texts{"Mary", "Nan"});
  CHECK(refusal("x,y\n1,a\n2,\n3,b\n").place == "3:3");
  CHECK(refusal("x,y\n1,a\n2,?\n3,b\n", {.missing = Missing::Drop}).place == "3:3");
}

TEST_CASE("labels may be absent when they are not needed") {
  const Dataset data = table("x,z\n1,2\n3,4\n", {.need_labels = false});
  CHECK_FALSE(data.labelled());
  CHECK(data.features() == 2);
  CHECK(table("x,label\n1,a\n", {.need_labels = false}).labelled());
  CHECK_FALSE(table("x,z\n1,a\n", {.need_labels = false, .label = "nothing"}).labelled());
  CHECK(table("x\n1\n2\n", {.need_labels = false}).rows() == 2);
}

TEST_CASE("a cell that is not a number is refused at its place with both ways out") {
  const Refusal r = refusal("f1,f2,label\n1,2,a\n3,4,b\nfive,6,b\n");
  CHECK(r.place == "4:1");
  CHECK(r.message == "'five' in column f1 is not a number");
  CHECK(r.hint == "--categorical f1 or --missing-word five");
  CHECK(refusal("f1,f2,label\n1,2,a\n3, four,b\n").place == "3:4");
  for (const std::string bad :
       {"0x1p3", "1_000", "\"1,234\"", "1e", "1.2.3", "--1", "+-1", "1 2", "e5", ".", "-"}) {
    CAPTURE(bad);
    const Refusal refused = refusal("x,y\n1,a\n" + bad + ",b\n");
    CHECK(refused.place == "3:1");
    CHECK(has(refused.message, "is not a number"));
  }
}

TEST_CASE("numbers that are not finite or out of range are refused, also as the first cell") {
  for (const std::string bad : {"nan", "NaN", "-nan", "inf", "-Infinity", "+INF"}) {
    CAPTURE(bad);
    CHECK(has(refusal("x,y\n1,a\n" + bad + ",b\n").message, "is not finite"));
    CHECK(refusal("x,y\n" + bad + ",b\n").place == "2:1");
  }
  CHECK(has(refusal("x,y\n1,a\n1e999,b\n").message, "out of range"));
  CHECK(has(refusal("x,y\n1,a\n-1e" + std::string(4000, '9') + ",b\n").message, "out of range"));
  CHECK(row(table("x,y\n1e-999,a\n1,b\n"), 0) == Row{0});
}

TEST_CASE("every form of a decimal number is read exactly") {
  const Dataset data = table(
      "x,y\n.5,a\n5.,a\n+7,a\n-0,a\n1e3,a\n1E-2,a\n0.1,a\n123456789012345678901234567890,a\n"
      "9007199254740993,a\n1." +
      std::string(5000, '0') + ",a\n");
  const std::vector<double> expected = {.5, 5, 7, 0, 1000, .01, .1, 1.2345678901234568e29, 9007199254740992.0,
                                        1};
  for (std::size_t r = 0; r < expected.size(); ++r) CHECK(row(data, r)[0] == expected[r]);
}

TEST_CASE(
    "a column is categorical by its first filled cell: one feature per category in the order of bytes") {
  const Dataset data = table("color,y\nred,a\ngreen,b\nRed,a\n10,b\nred,b\n");
  CHECK(features(data) == Texts{"color=10", "color=Red", "color=green", "color=red"});
  CHECK(row(data, 0) == Row{0, 0, 0, 1});
  CHECK(row(data, 3) == Row{1, 0, 0, 0});
  CHECK(features(table("sex,y\nm,a\nf,b\n")) == Texts{"sex=f", "sex=m"});
  CHECK(features(table("n,y\n2,a\n10,b\n", {.categorical = {"n"}})) == Texts{"n=10", "n=2"});
  CHECK(features(table("c,y\nInfantry,a\nNancy,b\n")) == Texts{"c=Infantry", "c=Nancy"});
}

TEST_CASE("more categories than the limit are refused at the cell that is too many") {
  std::string text = "c,y\n";
  for (int k = 0; k <= 65536; ++k) text += fmt::format("v{},a\n", k);
  const Refusal r = refusal(text);
  CHECK(r.place == "65538:1");
  CHECK(r.hint == "--ignore c");
  CHECK(table(text.substr(0, text.size() - 9)).features() == 65536);
}

TEST_CASE("missing values are refused at the first one unless a rule is chosen") {
  for (const std::string word : {"", "NA", "N/A", "?", "null", "\"\"", " ? "}) {
    CAPTURE(word);
    const Refusal r = refusal("x,z,y\n1,1,a\n2," + word + ",b\n");
    CHECK((r.place == "3:3" || r.place == "3:4"));
    CHECK(r.hint == "--missing mean|median|drop");
  }
  CHECK(has(refusal("x,y\n1,a\n-,b\n").message, "not a number"));
  CHECK(has(refusal("x,y\n1,a\n-,b\n", {.missing_words = {"-"}}).message, "is missing"));
  CHECK(refusal("c,y\nred,a\n,b\n").place == "3:1");
}

TEST_CASE("missing numbers take the mean or median of their column, missing categories are none") {
  const std::string text = "x,c,y\n1,r,a\n?,g,b\n2,,a\n9,r,b\n0,g,b\n";
  const Dataset mean = table(text, {.missing = Missing::Mean});
  CHECK(row(mean, 1) == Row{3, 1, 0});
  CHECK(row(mean, 2) == Row{2, 0, 0});
  CHECK(mean.encoding()->columns[0].fill == 3.0);
  CHECK(mean.encoding()->columns[1].fill == 0.0);
  const Dataset median = table(text, {.missing = Missing::Median});
  CHECK(row(median, 1) == Row{1.5, 1, 0});
  const Dataset odd = table("x,y\n5,a\n,b\n-3,a\n7,b\n", {.missing = Missing::Median});
  CHECK(row(odd, 1) == Row{5});
  const Dataset huge = table("x,y\n1e308,a\n1e308,a\n1.5e308,b\n,b\n", {.missing = Missing::Mean});
  CHECK(row(huge, 3)[0] == doctest::Approx(3.5 / 3 * 1e308));
}

TEST_CASE("a weight of k counts as k rows for mean, median, categories and words; 0 as none") {
  const ReadOptions mean{.weight = "w", .missing = Missing::Mean};
  CHECK(row(table("x,w,y\n1,3,a\n5,1,b\n,1,a\n100,0,a\n", mean), 2) == Row{2});
  const ReadOptions median{.weight = "w", .missing = Missing::Median};
  CHECK(row(table("x,w,y\n1,3,a\n5,1,b\n,1,a\n100,0,a\n", median), 2) == Row{1});
  const Dataset data = table("c,w,y\nr,1,a\ng,0,b\nb,2,a\n", {.weight = "w"});
  CHECK(features(data) == Texts{"c=b", "c=r"});
  CHECK(data.weight(1) == 0);
  CHECK(features(table("t,w,y\none,2,a\ntwo,1,b\nthree two,0,b\n", {.weight = "w", .text = {"t"}})) ==
        Texts{"t:one"});
}

TEST_CASE("rows with a missing value are dropped when asked, and counted") {
  std::vector<std::string> notes;
  const Dataset data =
      table("x,c,y\n1,r,a\n,g,b\n2,?,c\n3,b,b\n", {.missing = Missing::Drop, .notes = &notes});
  CHECK(data.rows() == 2);
  CHECK(features(data) == Texts{"x", "c=b", "c=r"});
  CHECK(data.classes() == Texts{"a", "b"});
  CHECK(row(data, 1) == Row{3, 1, 0});
  CHECK(std::find(notes.begin(), notes.end(), "2 of 4 rows were dropped: a value is missing") != notes.end());
  CHECK(has(refusal("x,y\n,a\n,b\n", {.missing = Missing::Drop}).message, "all 2"));
  CHECK(refusal("x,z,y\n1,1,a\n,five,b\n", {.missing = Missing::Drop}).place == "3:2");
}

TEST_CASE("a column without any value is zero everywhere and said so") {
  std::vector<std::string> notes;
  const Dataset data = table("x,e,y\n1,,a\n2,,b\n", {.missing = Missing::Mean, .notes = &notes});
  CHECK(row(data, 1) == Row{2, 0});
  CHECK(has(notes.back(), "column e has no values"));
}

TEST_CASE("weights are numbers of at least 0") {
  const Dataset data = table("x,w,y\n1,0.5,a\n2,3,b\n", {.weight = "w"});
  CHECK(data.weight(0) == 0.5);
  CHECK(data.weight(1) == 3);
  CHECK(data.features() == 1);
  CHECK(data.encoding()->weight_column == "w");
  CHECK(refusal("x,w,y\n1,1,a\n2,-1,b\n", {.weight = "w"}).place == "3:3");
  CHECK(refusal("x,w,y\n1,1,a\n2,,b\n", {.weight = "w"}).place == "3:3");
  CHECK(refusal("x,w,y\n1,1,a\n2,inf,b\n", {.weight = "w"}).place == "3:3");
  CHECK(refusal("x,w,y\n1,1,a\n", {.weight = "weight"}).place == "1:1");
}

TEST_CASE("ignored columns may hold anything; one column has one use") {
  CHECK(features(table("id,x,y\nfoo,1,a\n7,2,b\n,3,b\n", {.ignore = {"id"}})) == Texts{"x"});
  CHECK_THROWS_AS(table("x,w,y\n1,1,a\n", {.label = "w", .weight = "w"}), UsageError);
  CHECK_THROWS_AS(table("x,y\n1,a\n", {.label = "y", .ignore = {"y"}}), UsageError);
  CHECK(refusal("x,y\n1,a\n", {.ignore = {"z"}}).place == "1:1");
  CHECK(has(refusal("x,y\n1,a\n", {.ignore = {"x"}}).message, "no feature columns"));
}

TEST_CASE("text columns become counts of words that occur in at least two rows") {
  const std::string text =
      "y,t,x\nham,\"Free, free WINE\",1\nspam,free caf\xC3\xA9!,2\nham,caf\xC3\xA9 wine-bar,3\n";
  const Dataset data = table(text, {.label = "y", .text = {"t"}});
  CHECK(features(data) == Texts{"t:caf\xC3\xA9", "t:free", "t:wine", "x"});
  CHECK(row(data, 0) == Row{0, 2, 1, 1});
  CHECK(row(data, 2) == Row{1, 0, 1, 3});
  CHECK(table("t,y\n,a\nx y,b\ny,b\n", {.text = {"t"}}).rows() == 3);  // an empty text is no missing value
}

TEST_CASE("words are hashed into a fixed number of features") {
  const Dataset data = table("t,y\nfree wine free,a\nbar,b\n", {.text = {"t"}, .hash_bits = 10});
  CHECK(data.features() == 1024);
  const auto bucket = [](std::string_view word) { return XXH64(word.data(), word.size(), 0) & 1023U; };
  CHECK(row(data, 0)[bucket("free")] == 2);
  CHECK(row(data, 0)[bucket("wine")] == 1);
  CHECK(row(data, 1)[bucket("bar")] == 1);
  CHECK(data.feature_name(5) == "t:#5");
  CHECK_THROWS_AS(table("t,y\na,b\n", {.text = {"t"}, .hash_bits = 31}), UsageError);
}

TEST_CASE("a new table is read as the training table was") {
  const Dataset train = table("age,color,note,label\n1,red,big dog,a\n3,blue,big cat,b\n,red,dog cat,b\n",
                              {.text = {"note"}, .missing = Missing::Mean});
  CHECK(features(train) == Texts{"age", "color=blue", "color=red", "note:big", "note:cat", "note:dog"});
  std::vector<std::string> notes;
  ReadOptions options{.need_labels = false, .encoding = train.encoding(), .notes = &notes};
  const Dataset data = table("note,extra,color,age\ncat cat cow,9,red,7\nbig,9,green,\n\"\",9,,1\n", options);
  CHECK_FALSE(data.labelled());
  CHECK(data.features() == 6);
  CHECK(row(data, 0) == Row{7, 0, 1, 0, 2, 0});
  CHECK(row(data, 1) == Row{2, 0, 0, 1, 0, 0});
  CHECK(row(data, 2) == Row{1, 0, 0, 0, 0, 0});
  REQUIRE(notes.size() == 2);
  CHECK(has(notes[0], "extra"));
  CHECK(has(notes[1], "column color: 1 cells"));
  CHECK(has(notes[1], "'green'"));
  CHECK(data.encoding() == train.encoding());
  const Refusal gone = refusal("note,age\nx,1\n", options);
  CHECK(gone.place == "1:1");
  CHECK(has(gone.message, "no column 'color'"));
  CHECK(refusal("age,color,note\n1,red,x\nold,red,x\n", options).place == "3:1");
  options.need_labels = true;
  CHECK(has(refusal("age,color,note\n1,red,x\n", options).message, "no column 'label'"));
  CHECK(labels(table("label,age,color,note\nb,1,red,x\n", options)) == Texts{"b"});
}

TEST_CASE(
    "without a rule learned in training a missing value in a new table is refused, or its row dropped") {
  const Dataset train = table("x,y\n1,a\n2,b\n");
  ReadOptions options{.encoding = train.encoding()};
  CHECK(refusal("x,y\n1,a\n,b\n", options).place == "3:1");
  options.missing = Missing::Mean;
  CHECK(refusal("x,y\n1,a\n,b\n", options).place == "3:1");
  options.missing = Missing::Drop;
  CHECK(table("x,y\n1,a\n,b\n", options).rows() == 1);
}

TEST_CASE("new tables without a header are read by place, with or without the label column") {
  const Dataset last = table("1,red,a\n2,blue,b\n");
  const ReadOptions by_last{.need_labels = false, .encoding = last.encoding()};
  CHECK(row(table("5,red\n6,blue\n", by_last), 0) == Row{5, 0, 1});
  CHECK(labels(table("5,red,b\n", by_last)) == Texts{"b"});
  const Dataset first = table("a,1,10\nb,2,20\n", {.label = "1", .header = Header::No});
  const ReadOptions by_first{.need_labels = false, .encoding = first.encoding()};
  CHECK(row(table("5,50\n6,60\n", by_first), 1) == Row{6, 60});
  CHECK(labels(table("b,5,50\n", by_first)) == Texts{"b"});
}

TEST_CASE("rows with another number of cells are refused at the beginning of the line") {
  CHECK(refusal("f1,f2,label\n1,2,a\n3,4,b\n5,b\n").place == "4:1");
  CHECK(refusal("f1,f2,label\n1,2,a\n3,4,b\n5,b\n").message == "3 cells expected, 2 found");
  CHECK(refusal("f1,f2,label\n1,2,a,\n").message == "3 cells expected, 4 found");
  CHECK(refusal("f1,f2,label\n1,2,a\nfive\n").message == "3 cells expected, 1 found");
  CHECK(refusal("c,x,y\n\"a\nb\",1,p\n\"c\nd\",1\n").place == "4:1");
}

TEST_CASE("an open quote is refused where it was opened") {
  CHECK(refusal("f1,f2,label\n1,2,a\n3,4,b\n5,\"6,b\n").place == "4:3");
  CHECK(has(refusal("f1,f2,label\n1,2,a\n5,\"6,b\n").message, "never closed"));
  CHECK(refusal("x,y\n1, \"a\"\"\n2,b\n3,c").place == "2:4");
  CHECK(refusal("x,\"y\n1,a\n").place == "1:3");
  std::string endless = "x,y\n1,a\n2,\"";
  while (endless.size() < (std::size_t{70} << 20))
    endless += "1234567890123456789012345678901234567890123456789\n";
  CHECK(refusal(endless).place == "3:3");
  const Refusal after = refusal("x,y\n1,\"a\"b\n");
  CHECK(after.place == "2:6");
  CHECK(has(after.message, "after the quote"));
}

TEST_CASE("empty tables are refused") {
  CHECK(refusal("").place == "1:1");
  CHECK(has(refusal("").message, "no header"));
  CHECK(refusal("\n \n\r\n").place == "1:1");
  CHECK(refusal("\xEF\xBB\xBF").place == "1:1");
  CHECK(refusal("x,y\n").place == "2:1");
  CHECK(has(refusal("x,y\n\n\n").message, "no rows"));
}

TEST_CASE("bytes that are not text are refused at their place") {
  const Refusal nul = refusal(std::string("x,y\n1,a\n2") + '\0' + "3,b\n");
  CHECK(nul.place == "3:2");
  CHECK(has(nul.message, "byte 0x00"));
  CHECK(refusal(std::string("x,y\n1,a\n2,b") + '\x01' + "\n").place == "3:4");
  CHECK(refusal(std::string("x,y\n1,\"a\nb") + '\x7F' + "\"\n").place == "3:2");
  CHECK(has(refusal("x,y\r1,a\r2,b\r").message, "0x0d"));
  using namespace std::string_literals;
  CHECK(has(refusal("\xFF\xFEx\0,\0y\0\n\0"s).message, "UTF-16"));
  CHECK(has(refusal("\xFE\xFF\0x\0,\0y\0\n"s).message, "UTF-16"));
  CHECK(has(refusal("x\0,\0y\0\n\0"s).message, "UTF-16"));
  CHECK(refusal("x,y\n1,a\n2,b\xFF\n").place == "3:3");
  CHECK(has(refusal("x,y\n1,a\n2,b\xC3\n").message, "not valid UTF-8"));
  CHECK(refusal("c,y\na,a\nb\xED\xA0\x80,b\n").place == "3:1");
  CHECK(refusal("c\x80,y\na,a\n").place == "1:1");
  CHECK(refusal("t,y\na,a\n \xFE,b\n", {.text = {"t"}}).place == "3:2");
  CHECK(table("c,y\n\xE2\x82\xAC,a\n\xF0\x9F\x98\x80,b\n").features() == 2);
}

TEST_CASE("cells, rows and columns beyond the limits are refused") {
  const std::string big(std::size_t{1} << 20, 'x');
  CHECK(table("c,y\n" + big + ",a\n").rows() == 1);
  CHECK(refusal("c,y\nx,b\n" + big + "x,a\n").place == "3:1");
  CHECK(refusal("c,y\nx,b\n\"" + big + "x\",a\n").place == "3:1");
  CHECK(has(refusal("c,y\nx,b\n\"" + big + "x\",a\n").message, "1 MiB"));
  std::string wide;
  for (std::size_t c = 0; c < (std::size_t{1} << 20); ++c) wide += "1,";
  CHECK(has(refusal(wide + "a\n").message, "columns"));
  CHECK(table(wide.substr(2) + "a\n").features() == (1U << 20) - 1);
  std::string endless = "x,y\n";
  while (endless.size() < (std::size_t{70} << 20))
    endless += "1234567890123456789012345678901234567890123456789,";
  CHECK(refusal(endless).place == "2:1");
  CHECK(has(refusal(endless).message, "64 MiB"));
}

TEST_CASE("text longer than a block keeps its rows, kinds and places for any number of threads") {
  // The first filled cell of `late` comes after several blocks; of `mixed` it is a word before numbers.
  std::string text = "late,mixed,x,y\n";
  const int rows = 60000;
  for (int r = 0; r < rows; ++r) {
    const std::string late = r < rows - 5 ? "" : "7";
    const std::string mixed = r == 3 ? "word" : (r < 20000 ? "" : fmt::format("{}", r % 7));
    text += fmt::format("{},{},{}.25,{}\n", late, mixed, r, r % 3);
  }
  ReadOptions options{.missing = Missing::Median};
  std::set<std::string> prints;
  for (const int threads : {1, 2, 5}) {
    options.threads = Threads(threads);
    const Dataset data = table(text, options);
    CHECK(data.rows() == rows);
    CHECK(features(data) == Texts{"late", "mixed=0", "mixed=1", "mixed=2", "mixed=3", "mixed=4", "mixed=5",
                                  "mixed=6", "mixed=word", "x"});
    CHECK(row(data, 0)[0] == 7);
    CHECK(row(data, rows - 1).back() == rows - 1 + 0.25);
    prints.insert(data.fingerprint());
    const Refusal r = refusal(text + "oops,1,1,1\n,1,x,2\n", options);
    CHECK(r.place == fmt::format("{}:1", rows + 2));
  }
  CHECK(prints.size() == 1);
}

TEST_CASE("feature names of an encoding") {
  Encoding e;
  e.columns.push_back({.name = "age"});
  e.columns.push_back({.name = "none", .kind = ColumnKind::Category, .first_feature = 1});
  e.columns.push_back(
      {.name = "color", .kind = ColumnKind::Category, .categories = {"blue", "red"}, .first_feature = 1});
  e.columns.push_back({.name = "text", .kind = ColumnKind::Words, .hash_bits = 3, .first_feature = 3});
  e.columns.push_back(
      {.name = "words", .kind = ColumnKind::Words, .categories = {"free"}, .first_feature = 11});
  CHECK(e.features() == 12);
  CHECK(e.feature_name(0) == "age");
  CHECK(e.feature_name(2) == "color=red");
  CHECK(e.feature_name(1) == "color=blue");
  CHECK(e.feature_name(3) == "text:#0");
  CHECK(e.feature_name(11) == "words:free");
  CHECK(e.feature_name(12) == "13");
  CHECK(Encoding{}.features() == 0);
}

TEST_CASE("texts are numbered in the order they are met") {
  TextTable texts;
  CHECK_FALSE(texts.find("a").has_value());
  for (std::uint32_t k = 0; k < 1000; ++k) CHECK(texts.intern(fmt::format("text {}", k)) == k);
  for (std::uint32_t k = 0; k < 1000; ++k) CHECK(texts.intern(fmt::format("text {}", k)) == k);
  CHECK(texts.intern("") == 1000);
  CHECK(texts.text(7) == "text 7");
  CHECK(texts.text(1000).empty());
  CHECK(texts.find("text 999") == 999U);
  CHECK(texts.size() == 1001);
}

TEST_CASE("invalid UTF-8 is found where it begins") {
  CHECK(find_invalid_utf8("plain ASCII text \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == std::string_view::npos);
  CHECK(find_invalid_utf8("0123456789\x80") == 10);
  CHECK(find_invalid_utf8("\xC0\x80") == 0);
  CHECK(find_invalid_utf8("a\xE0\x80\x80") == 1);
  CHECK(find_invalid_utf8("\xF4\x90\x80\x80") == 0);
  CHECK(find_invalid_utf8("\xE2\x82") == 0);
}
