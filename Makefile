PREFIX ?= /usr/local
DESTDIR ?=

# Warnings fail the builds of this repository, and of no package that depends on it.
export RECORDER_STRICT = 1

# The shipped build has flags of its own, so it has a place of its own.
shipped = .build/shipped
programs = $(shipped)/release
# Looking up the symbols of a shared libstdc++ takes a third of a start, so a directory that holds
# only the archive comes first; where there is no archive the shared one is found after it.
archives = $(shipped)/archives
static_runtime = -Xlinker -L$(CURDIR)/$(archives) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
# The Swift library needs 33,000 addresses corrected at each start: packed they are 750 kB less to read.
packed = -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
# Nothing loads the programs as a library: without 4,500 symbols for others each is 0.4 MB smaller. Functions of
# the same instructions are kept once, which is 0.2 MB more.
closed = -Xlinker --no-export-dynamic -Xlinker --icf=all
# The linker leaves out a function that nobody calls only where each has a section of its own: 0.9 MB of the engine.
sections = -Xswiftc -Xfrontend -Xswiftc -function-sections
# A generic type is asked for by a function, and not looked up by its name and by all conformances of the program.
called = -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# The compiler notes a hash of each file in the program, which depends on the directory of the build: zeros without this.
unhashed = -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
# For the engine: every address of a library is looked up at the start, and the table of them is read-only from then on.
hardened = -Xlinker -z -Xlinker now
# What everyday commands run and write lies side by side, so they need fewer pages (scripts/order-link).
link_order = $(wildcard Resources/link-order)
ordered = $(if $(link_order),-Xlinker --symbol-ordering-file=$(CURDIR)/$(link_order) \
  -Xlinker --no-warn-symbol-ordering) -Xlinker -T -Xlinker $(CURDIR)/Resources/link-layout
stripped = $(if $(keep_symbols),,-Xlinker -s)
# Without a path of its own in the program, no library is looked for beside it first.
swift_release = swift build -c release --static-swift-stdlib --disable-local-rpath $(stripped) \
  $(static_runtime) $(packed) $(closed) $(sections) $(ordered) $(called) $(unhashed) --scratch-path $(shipped)
shared = $(DESTDIR)$(PREFIX)/share/recorder
# What recorder itself writes from its table of commands.
generated = man/man1/recorder.1 bash-completion/completions/recorder \
  zsh/site-functions/_recorder fish/vendor_completions.d/recorder.fish
# The topics of its help that have a manual page.
topics = references configuration microphone-access voice long-takes sounds exporting control-protocol json
topic_pages = $(topics:%=man/man7/recorder-%.7)

.PHONY: all help demo install uninstall dist try-dist deb try-deb test test-kit test-corpus test-sessions test-page test-fleet test-vm fuzz soak lint bench \
  counts nightly compare-peers api docs-kit clean

all:                 ## a release build
	scripts/setup build
	mkdir -p $(archives)
	ln -sf "$$(clang -print-file-name=libstdc++.a)" $(archives)/
	$(swift_release) --product recorder
	$(swift_release) $(hardened) --product recorder-engine

demo: all            ## the product at work in a scratch directory; no sound card is needed
	scripts/demo $(programs)

install:             ## puts the release build under PREFIX (/usr/local), within DESTDIR if given
	@test -x $(programs)/recorder -a -x $(programs)/recorder-engine || { echo 'type make first' >&2; exit 1; }
	install -D -m 755 $(programs)/recorder $(DESTDIR)$(PREFIX)/bin/recorder
	install -D -m 755 $(programs)/recorder-engine $(DESTDIR)$(PREFIX)/libexec/recorder/recorder-engine
	install -d $(shared)/Sounds
	install -m 644 Resources/index.json $(shared)
	install -m 644 Resources/Sounds/* $(shared)/Sounds
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,$(sort $(dir $(generated) $(topic_pages))))
	$(programs)/recorder help manual > $(DESTDIR)$(PREFIX)/share/$(word 1,$(generated))
	for topic in $(topics); do $(programs)/recorder help manual $$topic \
	  > $(DESTDIR)$(PREFIX)/share/man/man7/recorder-$$topic.7 || exit 1; done
	$(programs)/recorder completion bash > $(DESTDIR)$(PREFIX)/share/$(word 2,$(generated))
	$(programs)/recorder completion zsh > $(DESTDIR)$(PREFIX)/share/$(word 3,$(generated))
	$(programs)/recorder completion fish > $(DESTDIR)$(PREFIX)/share/$(word 4,$(generated))

uninstall:           ## takes it away again, and names the files of users that remain
	rm -f $(DESTDIR)$(PREFIX)/bin/recorder
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,$(generated) $(topic_pages))
	rm -rf $(DESTDIR)$(PREFIX)/libexec/recorder $(shared)
	@test -n '$(DESTDIR)' || Resources/debian/recorder.postrm purge

dist: all            ## a tarball in .build/dist that runs wherever it is unpacked
	scripts/make-dist $(programs) .build/dist

try-dist: dist       ## unpacks it in two places and uses it there
	scripts/try-dist .build/dist

deb: all             ## Debian packages in .build/deb
	scripts/setup deb
	scripts/make-deb $(programs) .build/deb

try-deb:             ## builds them twice, compares, and installs, uses and purges them in a clean Debian, as root
	scripts/setup deb
	scripts/try-deb

test: all            ## every test that needs no virtual machine; TESTS=PATTERN takes those with matching names
	scripts/setup test
	RECORDER_PROGRAMS=$(CURDIR)/$(programs) scripts/test $(if $(TESTS),-- --filter '$(TESTS)')

test-kit: all        ## the library as other packages use it: its tests, its documentation, its API; STEPS='tests api' takes these
	scripts/setup test
	RECORDER_PROGRAMS=$(CURDIR)/$(programs) scripts/test-kit $(STEPS)

nightly:             ## the checks that take too long for every change; STEPS='vm bench' takes these
	scripts/nightly $(STEPS)

api:                 ## writes what is public into Tests/Kit/api; API_BREAK=1 also lets declarations go
	scripts/symbol-graphs .build/graphs
	Tests/Kit/list-api --write .build/graphs Tests/Kit/api

docs-kit:            ## the documentation of the library as HTML, in .build/documentation
	scripts/docs-kit .build/documentation

test-corpus: all     ## sound files of other programs, compared with their own decoding; SAMPLE=150 takes so many of all kinds
	scripts/setup test
	Tests/Corpus/make-corpus .build/corpus $(SAMPLE)
	Tests/Corpus/check-corpus .build/corpus $(programs)/recorder
	$(if $(SAMPLE),,Tests/Corpus/check-speed $(programs)/recorder)

test-sessions: all   ## random recordings, compared with what was asked; COUNT=10000 takes so many
	scripts/setup test
	Tests/Sessions/check-sessions $(programs)/recorder $(or $(COUNT),200)

test-page: all       ## the page of a take in a headless Chromium
	scripts/setup page
	Tests/Page/check-page $(programs)/recorder

test-fleet: all      ## the recipes for fleets against real servers; RECORDER_FLEET=1 adds 20 recorders for 15 minutes, as root
	scripts/setup fleet
	Tests/Fleet/check-all $(programs)/recorder
	test -z "$(RECORDER_FLEET)" || Tests/Fleet/fleet $(programs)/recorder

test-vm: all         ## the tests on real kernel drivers, in a virtual machine
	scripts/setup vm
	scripts/vm/test $(programs)

fuzz:                ## everything that others may have written, changed at random where that reaches new code
	scripts/setup build
	scripts/fuzz

soak: all            ## a logger for 24 hours of a virtual machine, which take it a quarter of an hour
	scripts/setup vm
	swift build --build-tests
	RECORDER_PROGRAMS=$(CURDIR)/$(programs) RECORDER_SOAK=1 RECORDER_TEST_EVERY=1 \
	  .build/debug/recorderPackageTests.xctest --testing-library swift-testing --filter SoakTests

lint:                ## formatting, layering, shell scripts
	scripts/setup test
	swift format lint --strict -r Package.swift Sources Tests Benchmarks
	scripts/check-sources
	scripts/check-circles
	shellcheck -x $$(grep -rlE '^#!.*\b(ba)?sh$$' .ci scripts docs/examples Tests/Fleet)
	swift build --explicit-target-dependency-import-check error

bench: all           ## sizes, linked libraries and start-up, against a peer measured in the same run
	scripts/setup test
	$(swift_release) --product compare
	$(swift_release) --product bench-realtime
	$(swift_release) --product bench-mixed
	scripts/bench $(programs)

counts: all          ## sizes, linked libraries and counts of instructions
	scripts/setup test
	$(swift_release) --product bench-mixed
	RECORDER_BENCH=counts scripts/bench $(programs)

compare-peers: all   ## arecord, sox, ffmpeg, parecord and pw-record through the same accidents, as a table
	scripts/setup peers
	PATH=$(CURDIR)/$(programs):$$PATH Benchmarks/Reliability/compare-peers

clean:               ## removes what was built and fetched
	rm -rf .build .cache

help:                ## this list
	@sed -n 's/^\([a-z-]*\):[a-z ]*## /  make \1\t/p' Makefile | expand -t 18
