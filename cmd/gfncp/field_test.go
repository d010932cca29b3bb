package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// fieldTables are tables like those of users' reports: what there is in testdata/field.zip, how many clusters and
// outlying rows it has, and the least agreement with its column label. Each comes from a script with a seed.
var fieldTables = []struct {
	name        string
	k, outlying int
	ari         float64
}{
	{"again/plain.csv", 3, 0, 0.79},
	{"cells_40_pcs.csv", 5, 0, 0.98},
	{"dense_core_in_halo.csv", 2, 0, 0.97},
	{"embeddings/eight_topics_48.csv", 8, 0, 0.98},
	{"embeddings/six_topics_60_400rows.csv", 6, 0, 0.97},
	{"embeddings/three_topics_48_b.csv", 3, 0, 0.98},
	{"embeddings/three_topics_64_a.csv", 3, 0, 0.98},
	{"flag/far_blobs_random_batch5.csv", 3, 0, 0.98},
	{"flag/far_blobs_random_flag.csv", 3, 0, 0.98},
	{"flag/three_blobs_no_flag.csv", 3, 0, 0.95},
	{"flag/three_blobs_random_batch20.csv", 3, 0, 0.95},
	{"flag/three_blobs_random_flag.csv", 3, 0, 0.95},
	{"gps_four_towns.csv", 4, 0, 0.98},
	{"hash/colours_hex_last.csv", 3, 0, 0.98},
	{"heaped_age_income.csv", 3, 0, 0.95},
	{"ids/CustomerID_unique.csv", 3, 0, 0.98},
	{"ids/epoch_ms.csv", 3, 0, 0.98},
	{"ids/id_repeated.csv", 3, 0, 0.98},
	{"ids/order_no_gaps.csv", 3, 0, 0.98},
	{"ids/order_no_step2.csv", 3, 0, 0.98},
	{"ids/phone.csv", 3, 0, 0.98},
	{"ids/store_id_5.csv", 3, 0, 0.98},
	{"ids/user_id_long.csv", 3, 0, 0.98},
	{"ids/uuid.csv", 3, 0, 0.98},
	{"ids/year_row.csv", 3, 0, 0.98},
	{"ids/zip_code.csv", 3, 0, 0.98},
	{"missing_as_empty.csv", 3, 0, 0.97},
	{"missing_as_minus999.csv", 3, 0, 0.97},
	{"nine_rows_one_outlier.csv", 1, 1, 0.98},
	{"one/one_gaussian_300x20.csv", 1, 0, 0.98},
	{"one/one_gaussian_300x4_s1.csv", 1, 0, 0.98},
	{"one/one_gaussian_60x3.csv", 1, 0, 0.98},
	{"one/one_lognormal_300x3.csv", 1, 0, 0.98},
	{"one/one_student_300x4.csv", 1, 0, 0.98},
	{"one/one_uniform_300x3.csv", 1, 0, 0.98},
	{"one_column_two_humps.csv", 2, 0, 0.97},
	{"one_row_1e5.csv", 3, 1, 0.97},
	{"one_row_1e6.csv", 3, 1, 0.96},
	{"one_row_1e9.csv", 3, 1, 0.97},
	{"one_row_1e9_plane.csv", 3, 1, 0.97},
	{"orders_two_keys.csv", 3, 0, 0.96},
	{"parallel_cigars_4d.csv", 3, 0, 0.98},
	{"plane_small_and_wide.csv", 2, 0, 0.98},
	{"price_and_quantity.csv", 3, 0, 0.98},
	{"rare_group_990_10.csv", 2, 0, 0.98},
	{"rfm_money.csv", 3, 0, 0.98},
	{"sensor_log_hourly.csv", 2, 0, 0.98},
	{"shares_sum_to_one.csv", 3, 0, 0.98},
	{"survey_1_to_5.csv", 3, 0, 0.92},
	{"two_rows_repeated.csv", 2, 0, 0.98},
	{"utm_metres_offset.csv", 3, 0, 0.98},
}

// The clusters of tables from the field are found.
func TestFieldTables(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	dir := t.TempDir()
	archive := must.M1(zip.OpenReader("testdata/field.zip"))
	for _, file := range archive.File {
		path := filepath.Join(dir, file.Name)
		must.M(os.MkdirAll(filepath.Dir(path), 0o700))
		content := must.M1(file.Open())
		must.M(os.WriteFile(path, must.M1(io.ReadAll(content)), 0o600))
		must.M(content.Close())
	}
	must.M(archive.Close())
	for _, want := range fieldTables {
		t.Run(strings.TrimSuffix(want.name, ".csv"), func(t *testing.T) {
			got := result[struct {
				K, Outlying int
				ARI         float64
			}](t, clusters(filepath.Join(dir, want.name))...)
			if got.K != want.k || got.Outlying != want.outlying || got.ARI < want.ari {
				t.Errorf("%d clusters, %d outlying rows, ARI %.3f; want %d, %d and at least %.2f",
					got.K, got.Outlying, got.ARI, want.k, want.outlying, want.ari)
			}
		})
	}
}
