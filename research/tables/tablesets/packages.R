# Read the labelled sets of `gfncp reproduce tables-real` that R packages carry.
#
# Reads {"sets": [names]} from standard input and writes, as JSON, {name: set}. A set is {"d", "x": rows one after
# another, "labels"}, of the rows without missing values.
suppressPackageStartupMessages(library(jsonlite))

from <- function(package, name) {
  found <- new.env()
  data(list = name, package = package, envir = found)
  get(name, envir = found)
}

# Which columns are data, and which is the label.
split <- function(frame, label, columns = setdiff(names(frame), label)) {
  list(x = frame[, columns, drop = FALSE], label = frame[[label]])
}

sets <- list(
  crabs = list("MASS", function() {
    d <- from("MASS", "crabs")
    list(x = d[, 4:8], label = paste(d$sp, d$sex))
  }),
  glass = list("MASS", function() split(from("MASS", "fgl"), "type")),
  biopsy = list("MASS", function() split(from("MASS", "biopsy"), "class", paste0("V", 1:9))),
  banknote = list("mclust", function() split(from("mclust", "banknote"), "Status")),
  thyroid = list("mclust", function() split(from("mclust", "thyroid"), "Diagnosis")),
  diabetes = list("rrcov", function() split(from("rrcov", "diabetes"), "group", c("glucose", "insulin", "sspg"))),
  hemophilia = list("rrcov", function() split(from("rrcov", "hemophilia"), "gr")),
  fish = list("rrcov", function() split(from("rrcov", "fish"), "Species")),
  olitos = list("rrcov", function() split(from("rrcov", "olitos"), "grp")),
  vehicle = list("mlbench", function() split(from("mlbench", "Vehicle"), "Class")),
  vowel = list("mlbench", function() split(from("mlbench", "Vowel"), "Class", paste0("V", 2:10))),
  ionosphere = list("mlbench", function() split(from("mlbench", "Ionosphere"), "Class")),
  sonar = list("mlbench", function() split(from("mlbench", "Sonar"), "Class")),
  zoo = list("mlbench", function() split(from("mlbench", "Zoo"), "type")),
  pottery = list("HSAUR3", function() split(from("HSAUR3", "pottery"), "kiln")),
  olive = list("dslabs", function() split(from("dslabs", "olive"), "area", 3:10)),
  oils = list("modeldata", function() split(from("modeldata", "oils"), "class")),
  body = list("gclus", function() split(from("gclus", "body"), "Gender"))
)

number <- function(column) as.numeric(if (is.factor(column)) as.character(column) else column)

read <- function(name) {
  set <- sets[[name]]
  loadNamespace(set[[1]])
  d <- set[[2]]()
  x <- vapply(d$x, number, numeric(nrow(d$x)))
  whole <- complete.cases(x)
  list(d = ncol(x), x = as.vector(t(x[whole, ])), labels = as.integer(factor(d$label[whole])) - 1L)
}

asked <- fromJSON(file("stdin"))$sets
cat(toJSON(setNames(lapply(asked, read), asked), auto_unbox = TRUE, digits = NA))
