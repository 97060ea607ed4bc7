PREFIX ?= /usr/local
DESTDIR ?=
GUARD ?= --quick

# With this variable, warnings are errors. It is set in this repository, but not in packages that depend on it.
export RECORDER_STRICT = 1

# The shipped build has its own flags, so it has its own directory.
shipped = .build/shipped
programs = $(shipped)/release
# Looking up the symbols of a shared libstdc++ takes a third of the start-up time. So the first directory of the search
# path contains only the static archive. If the archive is not installed, the linker finds the shared library in a later
# directory.
archives = $(shipped)/archives
static_runtime = -Xlinker -L$(CURDIR)/$(archives) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
# The Swift library needs 33,000 relocations at each start. In the packed form, they are 750 kB smaller.
packed = -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
# No other program loads these programs as libraries, so they do not export their 4,500 symbols. This makes each program
# 0.4 MB smaller. Another 0.2 MB is saved because --icf=all stores identical functions only once.
closed = -Xlinker --no-export-dynamic -Xlinker --icf=all
# The linker removes unused functions only if each function has its own section. This saves 0.9 MB.
sections = -Xswiftc -Xfrontend -Xswiftc -function-sections
# With this option, the program gets the metadata of a generic type by calling a function. Without it, the program looks
# the metadata up by name, and the lookup searches all conformances in the program.
called = -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# The compiler stores a hash of each file in the program, and the hash depends on the build directory. With this option
# it stores zeros.
unhashed = -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
# The addresses of all library functions are looked up at the start. After that, the table of these addresses is
# read-only.
hardened = -Xlinker -z -Xlinker now
# Puts the functions and variables that everyday commands use next to each other, so that these commands load fewer
# pages (scripts/order-link).
link_order = $(wildcard Resources/link-order)
ordered = $(if $(link_order),-Xlinker --symbol-ordering-file=$(CURDIR)/$(link_order) \
  -Xlinker --no-warn-symbol-ordering) -Xlinker -T -Xlinker $(CURDIR)/Resources/link-layout
stripped = $(if $(keep_symbols),,-Xlinker -s)
# Without a run path in the program, the loader does not search the program's own directory for libraries first.
swift_release = swift build -c release --static-swift-stdlib --disable-local-rpath $(stripped) \
  $(static_runtime) $(packed) $(closed) $(sections) $(ordered) $(called) $(unhashed) $(hardened) --scratch-path $(shipped)
shared = $(DESTDIR)$(PREFIX)/share/recorder
# The files that recorder generates from its table of commands.
generated = man/man1/recorder.1 bash-completion/completions/recorder \
  zsh/site-functions/_recorder fish/vendor_completions.d/recorder.fish
# The help topics that have a manual page.
topics = references configuration microphone-access guard voice long-takes tracks tapping sounds exporting control-protocol json
topic_pages = $(topics:%=man/man7/recorder-%.7)

.PHONY: all build-tests build-release-tests build-thread-tests build-fuzz test-release test-threads help demo install uninstall dist try-dist deb try-deb test test-kit test-corpus test-sessions test-page test-tracks test-guard test-fleet test-vm fuzz soak lint bench \
  counts nightly compare-peers api docs-kit clean

all:                 ## build the release programs
	scripts/setup build
	mkdir -p $(archives)
	ln -sf "$$(clang -print-file-name=libstdc++.a)" $(archives)/
	$(swift_release) --product recorder

build-tests:         ## build everything for debugging, with the tests of the program and the library
	swift build --build-tests
	scripts/test-kit build

# Each of these builds contains only the test suites that need it.
release_suites = RECORDER_TESTS=RealTime,Recording,Playback,PipeWire,Devices,Audio
release_build = -c release -Xswiftc -enable-testing --scratch-path .build/release-tests
thread_suites = RECORDER_TESTS=RealTime,Linux,Recording,Playback,Control
thread_build = --sanitize=thread --scratch-path .build/thread

build-release-tests:
	$(release_suites) swift build --product recorderPackageTests $(release_build)

build-thread-tests:
	$(thread_suites) swift build --product recorderPackageTests $(thread_build)

build-fuzz:
	scripts/fuzz build

demo: all            ## show the programs at work in a scratch directory; needs no sound card
	scripts/demo $(programs)

install:             ## put the release build under PREFIX (/usr/local), below DESTDIR if it is set
	@test -x $(programs)/recorder || { echo 'type make first' >&2; exit 1; }
	install -D -m 755 $(programs)/recorder $(DESTDIR)$(PREFIX)/bin/recorder
	install -d $(shared)/Sounds $(shared)/docs $(shared)/guard
	install -m 644 Resources/index.json $(shared)
	install -m 644 Resources/Sounds/* $(shared)/Sounds
	install -m 644 Resources/guard/* $(shared)/guard
	install -m 644 docs/*.md $(shared)/docs
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,$(sort $(dir $(generated) $(topic_pages))))
	$(programs)/recorder help manual > $(DESTDIR)$(PREFIX)/share/$(word 1,$(generated))
	for topic in $(topics); do $(programs)/recorder help manual $$topic \
	  > $(DESTDIR)$(PREFIX)/share/man/man7/recorder-$$topic.7 || exit 1; done
	$(programs)/recorder completion bash > $(DESTDIR)$(PREFIX)/share/$(word 2,$(generated))
	$(programs)/recorder completion zsh > $(DESTDIR)$(PREFIX)/share/$(word 3,$(generated))
	$(programs)/recorder completion fish > $(DESTDIR)$(PREFIX)/share/$(word 4,$(generated))

uninstall:           ## remove the installed files, and list the users' files that remain
	rm -f $(DESTDIR)$(PREFIX)/bin/recorder
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,$(generated) $(topic_pages))
	rm -rf $(shared)
	@test -n '$(DESTDIR)' || Resources/debian/recorder.postrm purge

dist: all            ## make a tarball in .build/dist that runs from any directory
	scripts/make-dist $(programs) .build/dist

try-dist: dist       ## unpack the tarball in two directories and use it there
	scripts/try-dist .build/dist

deb: all             ## make Debian packages in .build/deb
	scripts/setup deb
	scripts/make-deb $(programs) .build/deb

try-deb:             ## build the packages twice and compare; install, use and purge them in a clean Debian, as root
	scripts/setup deb
	scripts/try-deb

test: all            ## run every test that needs no virtual machine; TESTS=PATTERN runs the tests with matching names
	scripts/setup test
	RECORDER_PROGRAMS=$(CURDIR)/$(programs) scripts/test $(if $(TESTS),-- --filter '$(TESTS)')

test-kit: all        ## test the library as other packages use it: its tests, documentation and API; STEPS='tests api' runs only these
	scripts/setup test
	RECORDER_PROGRAMS=$(CURDIR)/$(programs) scripts/test-kit $(STEPS)

nightly:             ## run the checks that take too long for every change; STEPS='vm bench' runs only these
	scripts/nightly $(STEPS)

api:                 ## write the public API into Tests/Kit/api; API_BREAK=1 also allows removed declarations
	scripts/symbol-graphs .build/graphs
	Tests/Kit/list-api --write .build/graphs Tests/Kit/api

docs-kit:            ## write the documentation of the library as HTML into .build/documentation
	scripts/docs-kit .build/documentation

test-release:        ## run unit tests of a release build, which count allocations and locks in the audio threads
	$(release_suites) scripts/test $(release_build)

test-threads:        ## run unit tests under the thread sanitizer
	$(thread_suites) scripts/test $(thread_build)

test-corpus: all     ## decode sound files of other programs, and compare the result with the decoding of other programs; SAMPLE=150 takes 150 files of all kinds
	scripts/setup test
	Tests/Corpus/make-corpus .build/corpus $(SAMPLE)
	Tests/Corpus/check-corpus .build/corpus $(programs)/recorder
	$(if $(SAMPLE),,Tests/Corpus/check-speed $(programs)/recorder)

test-sessions: all   ## make random recordings and check every frame and mark; COUNT=10000 makes 10,000
	scripts/setup test
	Tests/Sessions/check-sessions $(programs)/recorder $(or $(COUNT),200)

test-page: all       ## test the web page of a take in a headless Chromium
	scripts/setup page
	Tests/Page/check-page $(programs)/recorder

test-tracks: all     ## check that the tracks of a take stay aligned while PipeWire's graph changes or clocks differ, and the transcription; SECONDS=600 takes ten minutes for each
	scripts/setup test speech
	scripts/with-paced-card Tests/PipeWire/check-tracks $(programs)/recorder $(or $(SECONDS),60)
	scripts/with-paced-card Tests/PipeWire/check-clocks $(programs)/recorder $(or $(SECONDS),60)
	scripts/with-paced-card Tests/PipeWire/check-transcription $(programs)/recorder

test-guard: all      ## check the guard with real programs; GUARD= runs all rounds, GUARD='races kills' only these parts
	scripts/setup test guard
	RECORDER_PROGRAMS=$(CURDIR)/$(programs) Tests/Guard/check-guard $(GUARD)

test-fleet: all      ## test the fleet recipes against real servers; RECORDER_FLEET=1 adds 20 recorders for 15 minutes, as root
	scripts/setup fleet
	Tests/Fleet/check-all $(programs)/recorder
	test -z "$(RECORDER_FLEET)" || Tests/Fleet/fleet $(programs)/recorder

test-vm: all         ## run the tests on real kernel drivers, in a virtual machine
	scripts/setup vm
	scripts/vm/test $(programs)

fuzz:                ## fuzz every reader of foreign data, guided by coverage
	scripts/setup build
	scripts/fuzz

soak: all            ## run a logger for 24 hours of a virtual machine's time, which takes 15 minutes
	scripts/setup vm
	swift build --build-tests
	RECORDER_PROGRAMS=$(CURDIR)/$(programs) RECORDER_SOAK=1 RECORDER_TEST_EVERY=1 \
	  .build/debug/recorderPackageTests.xctest --testing-library swift-testing --filter SoakTests

lint:                ## check formatting, layering and shell scripts
	scripts/setup test
	swift format lint --strict -r Package.swift Sources Tests Benchmarks
	scripts/check-sources
	scripts/check-circles
	shellcheck -x $$(grep -rlE '^#!.*\b(ba)?sh$$' .ci scripts docs/examples Tests/Fleet)
	swift build --explicit-target-dependency-import-check error

bench: all           ## measure sizes, linked libraries and start-up, compared with a peer in the same run
	scripts/setup test
	$(swift_release) --product compare
	$(swift_release) --product bench-realtime
	$(swift_release) --product bench-mixed
	scripts/bench $(programs)

counts: all          ## measure sizes, linked libraries and instruction counts
	scripts/setup test
	$(swift_release) --product bench-mixed
	RECORDER_BENCH=counts scripts/bench $(programs)

compare-peers: all   ## expose arecord, sox, ffmpeg, parecord and pw-record to the same faults, and print a table
	scripts/setup peers
	PATH=$(CURDIR)/$(programs):$$PATH Benchmarks/Reliability/compare-peers

clean:               ## remove everything that was built and fetched
	rm -rf .build .cache

help:                ## print this list
	@sed -n 's/^\([a-z-]*\):[a-z ]*## /  make \1\t/p' Makefile | expand -t 18
