// Package pagetest tests the page that memviz trace writes, in headless Chromium.
// It has tests only.
//
// Every test opens reports in tabs of its own, uses them as a person does, with
// the keyboard and the mouse, or asks window.memviz, and compares what the page
// shows with a replay or with sums over all allocations that are made here.
//
//	go test ./pkg/report/pagetest                     all tests
//	go test ./pkg/report/pagetest -run TestKeys/Esc   one of them
//	go test ./pkg/report/pagetest -run TestKeys/Esc -headed
//	                                                  in a window that stays open until you close it
//	go test ./pkg/report/pagetest -v                  how long each takes
//	make screenshots                                  pictures of the page in bin/screenshots, and examples/report.png
//	make nightly                                      long random walks, among other things
//
// The tests need Chromium or Chrome ("make install-tools" installs it on Debian)
// and are skipped without it, unless MEMVIZ_NEED_BROWSER is set. Where
// MEMVIZ_CORPUS names a folder of real snapshots, these are tested too.
//
// One Chromium serves all tests. Each tab has a browser context of its own, so
// that tests share neither storage nor windows, and tests run in parallel. A
// report is made once, by [makeReport], and shared by all tests that open it.
//
// A test has to pass on a machine that is busy with something else. It never
// waits for a time to pass: it waits until the page has settled (plot), until it
// shows a text (shows) or until a condition holds (until).
//
// There are no files of expected output here, and so nothing to update.
package pagetest
