# Cluster sets by mclust and dbscan, for `gfncp reproduce tables-real` and `tables-synthetic`.
#
# Reads {"seed", "most", "sets": [{"d", "x": rows one after another}]} from standard input and writes, as JSON,
# {"versions", "results": [{method: {"labels", "seconds"}} for each set]}. Seconds are of the processor; label -1 is
# noise. A method that fails on a set has a "fault", and all points in one cluster.
suppressPackageStartupMessages({
  library(jsonlite)
  library(mclust)
  library(dbscan)
})

# HDBSCAN* calls cluster 0 noise.
density <- function(points) function(x, most) as.integer(hdbscan(x, minPts = min(points, nrow(x) - 1))$cluster) - 1L

methods <- list(
  mclust = function(x, most) {
    fit <- Mclust(x, G = 1:min(most, nrow(x) - 1), verbose = FALSE)
    if (is.null(fit)) stop("no family could be fitted")
    as.integer(fit$classification) - 1L
  },
  "hdbscan-5" = density(5),
  "hdbscan-15" = density(15)
)

processor <- function() sum(proc.time()[c("user.self", "sys.self")])

answer <- function(method, x, asked) {
  set.seed(asked$seed)
  fault <- ""
  start <- processor()
  labels <- tryCatch(method(x, asked$most), error = function(e) {
    fault <<- conditionMessage(e)
    integer(nrow(x))
  })
  list(labels = labels, seconds = unbox(processor() - start), fault = unbox(fault))
}

asked <- fromJSON(file("stdin"), simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
results <- lapply(asked$sets, function(given) {
  x <- matrix(given$x, ncol = given$d, byrow = TRUE)
  lapply(methods, answer, x, asked)
})
versions <- sprintf("R %s, mclust %s, dbscan %s", getRversion(), packageVersion("mclust"), packageVersion("dbscan"))
cat(toJSON(list(versions = unbox(versions), results = results), digits = NA))
