/* SPDX-License-Identifier: BSD-3-Clause
 * The C interface (C99) of libhalfspace.so, for Python, R, Julia, Node and others.
 *
 * Functions return HALFSPACE_OK or the kind of trouble, with words in `error` (which may be null). Nothing is thrown, printed or
 * exited. Texts are UTF-8 and end with a zero byte. What a function hands out through a pointer belongs to the caller, who gives it
 * back to the `_free` function of its kind; those take null. Data sets and models never change: any number of threads may use
 * one at once. */
#ifndef HALFSPACE_C_H
#define HALFSPACE_C_H

#include <stdint.h>

#if defined(__GNUC__)
#define HALFSPACE_API __attribute__((visibility("default")))
#else
#define HALFSPACE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Names as C has them. NOLINTBEGIN(readability-identifier-naming) */

/* INPUT: data, a model or a file is wrong. USAGE: an option is wrong, or what was asked for cannot be. SYSTEM: the machine would
 * not. STOPPED: a limit or a cancel came before there was an answer. MISTAKE: a bug of this library. */
enum {
  HALFSPACE_OK = 0,
  HALFSPACE_INPUT = 1,
  HALFSPACE_USAGE = 2,
  HALFSPACE_SYSTEM = 3,
  HALFSPACE_STOPPED = 4,
  HALFSPACE_MISTAKE = 5
};

typedef struct halfspace_error {
  int32_t code;
  char message[1024]; /* one line, without the place */
  char hint[512];     /* empty: none */
  char file[512];     /* empty: no file; line and column count from 1, 0: not known */
  uint64_t line, column;
} halfspace_error;

enum {
  HALFSPACE_FLOAT64 = 0,
  HALFSPACE_FLOAT32 = 1,
  HALFSPACE_INT32 = 2,
  HALFSPACE_INT64 = 3,
  HALFSPACE_UINT32 = 4,
  HALFSPACE_UINT64 = 5,
  HALFSPACE_UINT16 = 6 /* only handed out, for column numbers */
};

/* An array of the caller. Strides are bytes from one row, or column, to the next; values lie at multiples of their size.
 * One-dimensional: cols = 1. */
typedef struct halfspace_array {
  const void* data;
  int32_t type;
  uint64_t rows, cols;
  int64_t row_stride, col_stride;
} halfspace_array;

/* COPY: arrays may go when the call returns; the set has the storage, and training the bits, of a file with these rows.
 * BORROW: values are read where they are if they can be (dense rows one after the other, unless three quarters are zeros; sparse
 * rows with ascending columns and without stored zeros), and must stay until the set is freed. */
enum { HALFSPACE_COPY = 0, HALFSPACE_BORROW = 1 };

/* What belongs to rows besides their values. All zero: nothing. Always copied. */
typedef struct halfspace_rows {
  const uint32_t* labels; /* for every row a number of `classes`; null: no labels */
  const char* const* classes;
  uint64_t class_count;
  const double* weights; /* one for every row; null: all 1 */
  const char* const* names; /* of the columns; null: none */
  uint64_t name_count;
  /* Of columns that hold categories: how many values each has (0: a column of numbers), one count for every name, and the values, sorted,
   * column after column. Every value is an array column of zeros and ones. Null: all columns are numbers. */
  const uint64_t* category_counts;
  const char* const* categories;
  const char* label_name; /* of the column of labels, where columns have names; may be null */
  int32_t hold;
  int32_t decimals; /* 0.1 stands for 1/10 where proofs are exact */
  int32_t threads;  /* 0: all allowed */
} halfspace_rows;

typedef struct halfspace_dataset halfspace_dataset;
typedef struct halfspace_model halfspace_model;
typedef struct halfspace_stop halfspace_stop;

/* Return 0 to stop. `done` is the share of the budget that is used, NaN when unknown, like the gap. Never called by two threads
 * at once. */
typedef int32_t (*halfspace_observe)(void* context, double done, uint64_t iterations, double relative_gap);

/* Null texts and zeros stand for the defaults. */
typedef struct halfspace_training {
  const char* algorithm;
  const char* const* options; /* name, value, name, value, ...: as halfspace_algorithms() lists them */
  uint64_t option_count;      /* of pairs */
  const char* positive;       /* this class against the rest */
  const char* scale;          /* none, standard, minmax, unit */
  const char* features;       /* nystrom:M or fourier:M */
  const char* features_kernel;
  uint64_t seed; /* 0: the default, 1 */
  int32_t threads;
  double seconds; /* 0: no limit */
  halfspace_observe observe;
  void* context;
  const halfspace_stop* stop;
  const halfspace_model* start; /* online learners: where the planes start */
  const char* calibrate;        /* none, platt or isotonic: halfspace_train() also learns probabilities, from rows held out */
  const char* deal;             /* place, content: which rows those are; as in halfspace_search */
} halfspace_training;

/* Zeros and null: 5 folds, once, no groups, metric error, rule best, deal place. */
typedef struct halfspace_search {
  int32_t folds, repeats;
  const uint32_t* groups; /* a number for every row: rows of one group stay together */
  const char* metric;     /* error, log-loss, auc, balanced-error, cost */
  const char* costs;      /* FP:FN, of the metric cost */
  const char* rule;       /* best, one-standard-error */
  int32_t nested;         /* also an estimate of the whole procedure, choice included */
  const char* deal;       /* place, content: what decides which rows are together in a fold */
} halfspace_search;

/* One update of a plane between two classes; rows count from 0, theta is that after it and may be read during the call. */
typedef struct halfspace_update {
  uint64_t number, pass, row;
  int32_t y;
  double margin_before, margin_after, theta0, norm;
  const double* theta;
  uint64_t features;
} halfspace_update;
typedef void (*halfspace_see)(void* context, const halfspace_update* update);

HALFSPACE_API const char* halfspace_version(void);
/* JSON: [{"name", "summary", "starts", "options": [{"name", "default", "choices", "help", "flag", "number"}]}] */
HALFSPACE_API int32_t halfspace_algorithms(char** json, halfspace_error* error);
HALFSPACE_API void halfspace_text_free(char* text);

HALFSPACE_API int32_t halfspace_dataset_dense(const halfspace_array* values, const halfspace_rows* rows,
                                              halfspace_dataset** out, halfspace_error* error);
/* values: float64 or float32; columns, starts: 32 or 64 bits, as scipy's data, indices and indptr. */
HALFSPACE_API int32_t halfspace_dataset_csr(const halfspace_array* values, const halfspace_array* columns,
                                            const halfspace_array* starts, uint64_t cols, const halfspace_rows* rows,
                                            halfspace_dataset** out, halfspace_error* error);
/* options: pairs of format, label, weight, ignore, categorical, text, missing, zero-based and a value, lists with commas. With a
 * model the rows are read as its training rows were. */
HALFSPACE_API int32_t halfspace_dataset_read(const char* path, const char* const* options, uint64_t option_count,
                                             const halfspace_model* model, int32_t threads, halfspace_dataset** out,
                                             halfspace_error* error);
/* JSON: {"rows", "features", "nonzeros", "sparse", "storage", "classes", "labelled", "weighted", "names", "label"} */
HALFSPACE_API int32_t halfspace_dataset_describe(const halfspace_dataset* data, char** json, halfspace_error* error);
/* Labels (numbers of classes) and weights, rows of each; either may be null. */
HALFSPACE_API int32_t halfspace_dataset_labels(const halfspace_dataset* data, uint32_t* labels, double* weights,
                                               halfspace_error* error);
/* All values, row after row; or the entries that are not zero: nonzeros values and columns, rows + 1 starts. */
HALFSPACE_API int32_t halfspace_dataset_values(const halfspace_dataset* data, double* values, halfspace_error* error);
HALFSPACE_API int32_t halfspace_dataset_entries(const halfspace_dataset* data, double* values, int32_t* columns,
                                                int64_t* starts, halfspace_error* error);
/* Where the values are, for as long as the set lives: dense (columns and starts stay empty), or those of sparse rows. Values of
 * another kind than float32 and float64 (type -1) have to be copied by the functions above. */
HALFSPACE_API int32_t halfspace_dataset_view(const halfspace_dataset* data, halfspace_array* values, halfspace_array* columns,
                                             halfspace_array* starts, halfspace_error* error);
HALFSPACE_API void halfspace_dataset_free(halfspace_dataset* data);

/* *model is null where the answer is no, or a limit came first; the report says why. It is JSON: {"stop", "outcome", "reason",
 * "iterations", "mistakes", "support_vectors", "objective", "training_error", "separation", "notes", "summary", "figures"}. */
HALFSPACE_API int32_t halfspace_train(const halfspace_dataset* data, const halfspace_training* how,
                                      halfspace_model** model, char** report, halfspace_error* error);
/* Online learners: one pass over rows that are a part of more to come. `walk` (walk_size numbers; null and 0: from the start) is
 * what `after` was of the part before, with the same options; parts in their order leave the planes of one pass over all
 * rows, to the bit. `classes` of the rows are all that will come. A row of weight k is taken k times. Voted perceptrons also take the
 * model of the part before, as `start`. */
HALFSPACE_API int32_t halfspace_learn(const halfspace_dataset* data, const halfspace_training* how, const double* walk,
                                      uint64_t walk_size, halfspace_model** model, double** after, uint64_t* after_size,
                                      char** report, halfspace_error* error);
HALFSPACE_API void halfspace_numbers_free(double* numbers);
/* One of `count` members (processes, or threads) that each have some of the rows; `number`, from 0, is their order. The three calls
 * reach the others, and all members make them in the same order. They return 0, or another number where the others cannot be reached,
 * which ends the training with HALFSPACE_SYSTEM. What they hand over belongs to them and must stay until the next of the three is called,
 * or training returns. They are called on the thread that trains, one after the other.
 * gather: all[m] becomes what member m has given. pass: to the member number + 1, without waiting for it. take: the next that the member
 * number - 1 has passed, waiting for it; what is passed is taken in the same order. */
typedef struct halfspace_bytes {
  const void* data;
  uint64_t size;
} halfspace_bytes;
typedef struct halfspace_team {
  uint64_t count, number;
  int32_t (*gather)(void* context, const void* mine, uint64_t size, halfspace_bytes* all);
  int32_t (*pass)(void* context, const void* state, uint64_t size);
  int32_t (*take)(void* context, halfspace_bytes* state);
  void* context;
} halfspace_team;
/* halfspace_train() by all members at once, with the same options and each with its rows (null: it has none): logistic and svm. All get
 * the same model and report, to the bit those of one process that has all rows in the order of the members. Rows may differ in classes,
 * features and storage; tables may not in their columns. `stop` and `observe` of any member stop all of them. What one member is refused
 * or fails with, all return; a team that has returned anything but HALFSPACE_OK is over. calibrate: none. */
HALFSPACE_API int32_t halfspace_train_team(const halfspace_dataset* data, const halfspace_training* how,
                                           const halfspace_team* team, halfspace_model** model, char** report,
                                           halfspace_error* error);
/* Options by cross-validation. In `how` the algorithm may be several with commas between them, and the value of an option a range
 * LOW:HIGH or values A,B,C. The report is that of the chosen point trained on all rows, with "tuning": {"table", "chosen", "estimate",
 * "nested", "metric", "rule", "stopped"}. observe is told how many points are done. */
HALFSPACE_API int32_t halfspace_tune(const halfspace_dataset* data, const halfspace_training* how,
                                     const halfspace_search* search, halfspace_model** model, char** report,
                                     halfspace_error* error);
/* Along one option, trained on all rows but the share `holdout`. JSON: {"option", "points": [{"value", "norm", "margin",
 * "support_vectors", "training_error", "validation_error", "relative_gap", "theta", "theta0", "stop", "refusal"}]} */
HALFSPACE_API int32_t halfspace_path(const halfspace_dataset* data, const halfspace_training* how, double holdout,
                                     char** json, halfspace_error* error);
/* Trains between two classes and shows every `every`-th update (0: each), at most `most` (0: all). */
HALFSPACE_API int32_t halfspace_trace(const halfspace_dataset* data, const halfspace_training* how, uint64_t every,
                                      uint64_t most, halfspace_see see, void* context, halfspace_model** model,
                                      char** report, halfspace_error* error);
HALFSPACE_API halfspace_stop* halfspace_stop_make(void);
HALFSPACE_API void halfspace_stop_cancel(const halfspace_stop* stop); /* from any thread, or a signal handler */
HALFSPACE_API void halfspace_stop_free(halfspace_stop* stop);

/* Into arrays of the caller: rows labels (numbers of the model's classes, UINT32_MAX: abstained); rows x planes scores; rows x
 * classes probabilities. */
HALFSPACE_API int32_t halfspace_predict(const halfspace_model* model, const halfspace_dataset* data, int32_t threads,
                                        uint32_t* labels, halfspace_error* error);
/* The same from an array of float64 or float32, without a data set. */
HALFSPACE_API int32_t halfspace_scores_dense(const halfspace_model* model, const halfspace_array* values, int32_t threads,
                                             double* scores, halfspace_error* error);
HALFSPACE_API int32_t halfspace_scores(const halfspace_model* model, const halfspace_dataset* data, int32_t threads,
                                       double* scores, halfspace_error* error);
HALFSPACE_API int32_t halfspace_probabilities(const halfspace_model* model, const halfspace_dataset* data,
                                              int32_t threads, double* probabilities, halfspace_error* error);

/* Probabilities of rows whose scores are there. */
HALFSPACE_API int32_t halfspace_probabilities_of(const halfspace_model* model, const double* scores, uint64_t rows,
                                                 double* probabilities, halfspace_error* error);

HALFSPACE_API int32_t halfspace_model_save(const halfspace_model* model, const char* path, halfspace_error* error);
HALFSPACE_API int32_t halfspace_model_load(const char* path, halfspace_model** out, halfspace_error* error);
/* The bytes of the file. *bytes is given back to halfspace_text_free(). */
HALFSPACE_API int32_t halfspace_model_bytes(const halfspace_model* model, char** bytes, uint64_t* size,
                                            halfspace_error* error);
HALFSPACE_API int32_t halfspace_model_from_bytes(const char* bytes, uint64_t size, halfspace_model** out,
                                                 halfspace_error* error);
/* JSON: {"algorithm", "options", "facts", "classes", "features", "planes", "form", "linear", "probabilities", "calibration",
 * "names", "columns": [{"name", "categories"}], "label"}; linear: halfspace_model_planes() has what scores rows as they are. */
HALFSPACE_API int32_t halfspace_model_describe(const halfspace_model* model, char** json, halfspace_error* error);
/* JSON: {"certificate", "proofs"}: as the file has it, and in words. */
HALFSPACE_API int32_t halfspace_model_certificate(const halfspace_model* model, char** json, halfspace_error* error);
/* planes x features weights, planes offsets. */
HALFSPACE_API int32_t halfspace_model_planes(const halfspace_model* model, double* weights, double* offsets,
                                             halfspace_error* error);
/* The standard deviation of every feature among the training rows; NaN where the model does not say. */
HALFSPACE_API int32_t halfspace_model_deviations(const halfspace_model* model, double* deviations, halfspace_error* error);
/* Kernel machines: the support vectors as sparse rows, in the order of the training rows; and of one function (one between two classes,
 * else one for every class or for every pair of classes) the numbers of its vectors, ascending, their coefficients and the offset. Empty where
 * a model has none. They lie in the model. */
HALFSPACE_API int32_t halfspace_model_vectors(const halfspace_model* model, halfspace_array* values, halfspace_array* columns,
                                              halfspace_array* starts, halfspace_error* error);
HALFSPACE_API int32_t halfspace_model_function(const halfspace_model* model, uint64_t function, halfspace_array* vectors,
                                               halfspace_array* coefficients, double* offset, halfspace_error* error);
/* Of one plane or function the training rows with a dual value above 0, ascending, and the values; empty where the model keeps none. */
HALFSPACE_API int32_t halfspace_model_dual(const halfspace_model* model, uint64_t function, halfspace_array* rows,
                                           halfspace_array* alpha, halfspace_error* error);
/* The model in a form that runs without this library: onnx, c, javascript, sql, json, liblinear or libsvm, or the name of a file whose
 * ending says it (.onnx, .h, .js, .mjs, .sql, .json); name: what functions of C begin with, the table of SQL, or null; rows: to be compared on, null: drawn from the model. *bytes is given back to halfspace_text_free(). JSON:
 * {"check": {"rows", "other_labels", "same_bits", "score_difference", "probability_difference", "ran", "not_ran"}, "notes"} */
HALFSPACE_API int32_t halfspace_model_export(const halfspace_model* model, const char* to, const char* name,
                                             const halfspace_dataset* rows, int32_t threads, char** bytes, uint64_t* size,
                                             char** json, halfspace_error* error);
HALFSPACE_API void halfspace_model_free(halfspace_model* model);

/* What the model claims, recomputed from its training rows. JSON: {"holds", "lines", "gaps": [{"primal", "dual"}]} */
HALFSPACE_API int32_t halfspace_verify(const halfspace_model* model, const halfspace_dataset* data, int32_t threads,
                                       char** json, halfspace_error* error);
/* The page of `halfspace report` about the model on rows with labels; test: rows to judge it by, null: data; name: what the page calls
 * the model. page, json: either may be null. */
HALFSPACE_API int32_t halfspace_report(const halfspace_model* model, const halfspace_dataset* data,
                                       const halfspace_dataset* test, const char* name, int32_t threads,
                                       const halfspace_stop* stop, char** page, char** json, halfspace_error* error);
/* The last class against all others. margin: none, auto, full. JSON: {"decided", "verdict", "checked", "why", "method",
 * "plane", "offset", "margin": {"lower", "upper", "radius"}, "witness": {"rows", "weights"}, "proof"}; rows count from 0. */
HALFSPACE_API int32_t halfspace_separable(const halfspace_dataset* data, const char* margin, int32_t threads,
                                          const halfspace_stop* stop, char** json, halfspace_error* error);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
