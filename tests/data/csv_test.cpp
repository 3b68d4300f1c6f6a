// SPDX-License-Identifier: BSD-3-Clause
// Reading CSV and TSV: the layout of a table, its labels, and a new table read as the training table was.
#include <doctest/doctest.h>

#include "csv_table.hpp"

using namespace halfspace;
using namespace halfspace::testing;

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
  CHECK(features(table("a;b;y\n1;2;p\n3;4;q\n")) == Texts{"a", "b"});
  CHECK(features(table("a|b;c|y\n1|2|p\n3|4|q\n", {.delimiter = '|'})) == Texts{"a", "b;c"});
  CHECK(features(table("a|b|y\n1|2|p\n3|4|q\n")) == Texts{"a", "b"});
  CHECK(features(table("a;b,y\n1,p\n2,q\n")) == Texts{"a;b"});
  CHECK(features(table("a b y\n1 2 p\n", {.delimiter = ' '})) == Texts{"a", "b"});
  CHECK_THROWS_AS(table("a1b\n", {.delimiter = '1'}), UsageError);
  CHECK_THROWS_AS(table("a\"b\n", {.delimiter = '"'}), UsageError);
}

TEST_CASE("one column only is refused with the delimiter it may have") {
  const Refusal semicolon = refusal("f1;f2;label\n1,5;2,5;a\n");
  CHECK(semicolon.place == "1:1");
  CHECK(has(semicolon.message, "one column found"));
  CHECK(semicolon.hint == "--delimiter ';'");
  const Refusal blank = refusal("f1 f2 label\n1.5 2.5 a\n");
  CHECK(blank.place == "1:1");
  CHECK(has(blank.message, "one column found"));
  CHECK(blank.hint == "--delimiter ' '");
  CHECK(refusal("f1:label\n1:a\n").hint == "--delimiter ':'");
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
  CHECK(refusal("x,y\n1,a\n2,?\n3,b\n").place == "3:3");
}

TEST_CASE("labels may be absent when they are not needed") {
  const Dataset data = table("x,z\n1,2\n3,4\n", {.need_labels = false});
  CHECK_FALSE(data.labelled());
  CHECK(data.features() == 2);
  CHECK(table("x,label\n1,a\n", {.need_labels = false}).labelled());
  CHECK_FALSE(table("x,z\n1,a\n", {.need_labels = false, .label = "nothing"}).labelled());
  CHECK(table("x\n1\n2\n", {.need_labels = false}).rows() == 2);
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
  REQUIRE(notes.size() == 3);
  CHECK(has(notes[0], "extra"));
  CHECK(has(notes[1], "missing values were filled in, of 3 rows"));
  CHECK(has(notes[1], "color (1)"));
  CHECK(has(notes[1], "age (1)"));
  CHECK(has(notes[2], "column color: 1 cells"));
  CHECK(has(notes[2], "'green'"));
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
