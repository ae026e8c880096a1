# make run         set up, build, and see the daemon answer a handful of URLs
# make serve       the same daemon, until Ctrl-C
# make check       style, unit tests, and the structure of the code, in figures; before each commit
# make test        all tests
# make simulate    the daemon in a simulated kernel, where all that can meet does: SEEDS=1-100000, or TIME=60 (seconds)
# make soak        the daemon under load for TIME=600 (seconds), and what it holds then
# make nightly     what takes hours: simulation and fuzzing for TIME=3600 (seconds) each, a soak, and the benchmarks
# make microbench  what the parts of a request cost
# make bench       the daemon beside its peers; takes about a quarter of an hour
# make install     installs the programs and what belongs to them: PREFIX=/usr/local, DESTDIR=; make uninstall undoes it
# make deb         a Debian package of the same, in .build
# make test-systemd  the package on booted systemd, in containers; needs root
# make order       renew the order in which functions are linked, after a change of Swift's version or of the request path
# make symbols     renew the list of what the library shows to its users, after a change that is meant
# make drawing     renew the drawing of the modules in Docs/Architecture.md
# make help        this list
.DEFAULT_GOAL := run
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

# What has to be there to build, and what the tests use besides.
BUILD_PACKAGES := libsystemd-dev libyaml-dev libmd-dev pkg-config
TEST_PACKAGES := $(BUILD_PACKAGES) systemd netcat-openbsd strace valgrind python3-jsonschema python3-yaml python3-venv \
	mandoc desktop-file-utils libglib2.0-bin xdg-utils
# The last line is what dbus-broker needs, which is unpacked and not installed: else it would be the system's bus.
BENCH_PACKAGES := $(BUILD_PACKAGES) systemd redis-tools strace \
	libapparmor1 libaudit1 libcap-ng0 libexpat1 libselinux1

# Implementations of Varlink by others, which the tests of ours talk to. They are fetched once for each version.
VARLINK := 31.0.0
ASYNCVARLINK := 0.3.3
PYTHON := .build/python
PYTHON_PACKAGES := $(PYTHON)/varlink-$(VARLINK)-asyncvarlink-$(ASYNCVARLINK)

# Exclusive access to the properties of classes is checked at run time in debug builds, with which all tests run.
# Types are made by functions, and not by names that the runtime reads at their first use: a quarter of what a start with
# few routes executes. valgrind 3.19 cannot read the newest form of debug information in a program of both languages.
RELEASE := -c release --static-swift-stdlib --disable-local-rpath --explicit-target-dependency-import-check error \
	-Xswiftc -enforce-exclusivity=unchecked -Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xcc -gdwarf-4
# Swift leaves a folder for each file that it compiles, where temporary files go: here, and not for good.
BUILD := rm -rf .build/temporary && mkdir -p .build/temporary && TMPDIR='$(CURDIR)/.build/temporary' swift build
BIN := .build/release
SOCKET := .build/demo.socket
CONFIG := config/config.yaml
BENCH := .build/benchmarks
# OPTIONS='--quick --only throughput' goes to the benchmark; HTTP=no leaves out the peer that takes minutes to build.
OPTIONS :=
HTTP := yes

# Where 'install' puts what. Debian's zsh looks for completions of packages elsewhere.
PREFIX := /usr/local
DESTDIR :=
ZSH_COMPLETIONS = $(PREFIX)/share/zsh/site-functions
STAGE := .build/stage
INSTALLED = $(DESTDIR)$(PREFIX)/share/xcallbackd/installed

.PHONY: run serve check symbols drawing test examples outside simulate soak nightly microbench bench lint release order clean help build-packages test-packages \
	bench-packages package-packages system-packages python-packages stage install uninstall deb test-package test-systemd

run: release
	@folder=$$(mktemp -d); socket=$$folder/socket; \
	$(BIN)/xcallbackd --config $(CONFIG) --socket $$socket 2>$$folder/log & daemon=$$!; \
	leave() { kill $$daemon 2>/dev/null || true; wait $$daemon 2>/dev/null || true; rm -rf $$folder; }; \
	trap leave EXIT; trap 'exit 130' INT TERM; \
	for _ in {1..100}; do [ -S $$socket ] && break; kill -0 $$daemon 2>/dev/null || break; sleep 0.05; done; \
	[ -S $$socket ] || { cat $$folder/log; exit 1; }; \
	echo "The daemon answers, as $(CONFIG) says."; \
	ask() { echo; echo "$$ xcallback open '$$1'"; status=0; \
		$(BIN)/xcallback open --socket $$socket "$$1" 2>&1 || status=$$?; \
		[ $$status = 0 ] || echo "(exit status $$status)"; }; \
	ask 'demo:/ping/Ada'; \
	ask 'demo://x-callback-url/echo?text=Hello%20there&x-success=app://done?id=7'; \
	ask 'demo:/weekday/2026-01-31'; \
	ask 'demo:/agree?answer=no'; \
	ask 'demo:/notes/42'; \
	ask 'demo:/notes/abc'; \
	ask 'demo:/echo'; \
	ask 'demo:/no/such/action?x-error=app://failed'; \
	ask 'demo:/reset'; \
	ask 'go:/wiki/Unix%20domain%20socket'; \
	echo; echo "That was it. 'make serve' keeps the daemon running."

serve: release
	@echo "In another terminal: $(BIN)/xcallback open --socket $(SOCKET) demo:/ping"
	@exec $(BIN)/xcallbackd --config $(CONFIG) --socket $(SOCKET)

# What a request costs is counted with the release build. The log is shown whole if something fails, and what failed once
# more at its end; else the runner's summary. The containers wait more than they work, so that the tests can be built
# meanwhile. The tests run in two parts, as all of a part begin at once: the time that each may take counts from then on.
test: test-packages python-packages lint release examples outside test-package
	@echo "Testing the package on booted systemd (the first time fetches two containers), and building the tests."
	@Tests/SystemTests/run $(DEB)/*.deb >.build/systemd.log 2>&1 & systemd=$$!; \
	trap 'kill $$systemd 2>/dev/null || true' EXIT; \
	built=0; $(BUILD) --build-tests --explicit-target-dependency-import-check error >.build/build.log 2>&1 \
		|| { built=1; cat .build/build.log; }; \
	wait $$systemd || { cat .build/systemd.log; exit 1; }; \
	grep 'SKIPPED\|facts hold' .build/systemd.log; exit $$built
	@Tests/Structure/check
	@echo "Running the tests."
	@failed=0; for part in --skip --filter; do \
		swift test --skip-build $$part '^IntegrationTests\.' 2>&1 || failed=1; \
	done >.build/test.log; \
	if [ $$failed != 0 ]; then cat .build/test.log; echo "What failed:"; grep '✘' .build/test.log; fi; \
	grep 'Test run with' .build/test.log; exit $$failed

# The tests that only compute run beside those that mostly wait.
check: lint
	@echo "Building the tests."
	@$(BUILD) --build-tests --explicit-target-dependency-import-check error >.build/build.log 2>&1 \
		|| { cat .build/build.log; exit 1; }
	@Tests/Structure/check
	@echo "Running the unit tests."
	@run() { .build/debug/xcallbackdPackageTests.xctest --testing-library swift-testing "$$@" 2>&1; }; \
	pure='^XCallback(URL|JSON|Varlink|Routing|Configuration)Tests\.'; \
	run --filter "$$pure" >.build/check-pure.log & pure_tests=$$!; failed=0; \
	run --skip '^IntegrationTests\.' --skip "$$pure" >.build/check.log || failed=1; wait $$pure_tests || failed=1; \
	cat .build/check-pure.log >>.build/check.log; \
	if [ $$failed != 0 ]; then cat .build/check.log; echo "What failed:"; grep '✘' .build/check.log; fi; \
	grep 'Test run with' .build/check.log; exit $$failed

# After a change that is meant to be seen: of what the library shows, and of what modules import.
symbols: build-packages
	@$(BUILD) >.build/build.log 2>&1 || { cat .build/build.log; exit 1; }
	@Tests/Structure/symbols >.build/symbols.txt && mv .build/symbols.txt Tests/Structure/symbols.txt

drawing:
	@Tests/Structure/modules >.build/drawing
	@sed -i -e '/^```mermaid$$/,/^```$$/{/^```$$/r .build/drawing' -e 'd}' Docs/Architecture.md

help:
	@sed -n '/^# make/s/^# //p' Makefile

# The tests run the programs of the example package, which is built as anybody's would be.
examples: build-packages
	@echo "Building the example package."
	@$(BUILD) --package-path Docs/Examples/Greetings $(SHARED) >.build/build.log 2>&1 \
		|| { cat .build/build.log; exit 1; }

# What the documents show of the library, and functions of each kind, in a package with the settings of a new one. It
# shares its build with the example package, so that the library is not built again; the plan of a build must not be shared.
SHARED := --scratch-path .build/examples --disable-build-manifest-caching
outside: examples
	@echo "Testing the library from outside."
	@OPTIONS='--package-path Tests/Outside $(SHARED)'; \
	{ $(BUILD) --build-tests $$OPTIONS && swift test --skip-build $$OPTIONS; } >.build/build.log 2>&1 \
		|| { cat .build/build.log; exit 1; }
	@grep 'Test run with' .build/build.log

# Without TIME the stories of SEEDS are run, each of which is the same every time.
SEEDS := 1-100000
simulate: release
	@$(BIN)/simulate $(if $(TIME),--seconds $(TIME),$(SEEDS))

soak: release
	@Tests/Soak/soak $(BIN)/xcallbackd $(or $(TIME),600)

nightly:
	@$(MAKE) --no-print-directory simulate fuzz TIME=$(or $(TIME),3600)
	@$(MAKE) --no-print-directory soak TIME=$(or $(TIME),3600)
	@$(MAKE) --no-print-directory bench

microbench: release
	@$(BIN)/MicroBenchmarks

bench: bench-packages release $(BENCH)/dbus-broker
	@echo "Building the benchmark."
	@$(BUILD) -c release --package-path Tests/Benchmarks --scratch-path $(BENCH) >.build/build.log 2>&1 \
		|| { cat .build/build.log; exit 1; }
	@[ $(HTTP) = no ] || { \
		echo "Building the HTTP server (the first time takes some minutes; HTTP=no leaves it out)."; \
		$(BUILD) -c release --static-swift-stdlib --package-path Tests/Benchmarks/HTTPPeer \
			--scratch-path $(BENCH)/http >.build/build.log 2>&1 || { cat .build/build.log; exit 1; }; }
	@$(BENCH)/release/benchmark --thresholds Tests/Benchmarks/thresholds.json --daemon $(BIN)/xcallbackd \
		--bus $(BENCH)/dbus-broker/usr/bin --parts $(BIN)/MicroBenchmarks \
		$(if $(filter no,$(HTTP)),,--http $(BENCH)/http/release/http-peer) $(OPTIONS)

$(BENCH)/dbus-broker: | bench-packages
	@rm -rf $@.part && mkdir -p $@.part
	@cd $@.part; root=; [ "$$(id -u)" = 0 ] || root=sudo; \
	{ { apt-get download dbus-broker || { $$root apt-get update && apt-get download dbus-broker; }; } \
		&& dpkg-deb -x dbus-broker_*.deb .; } >download.log 2>&1 || { cat download.log; exit 1; }
	@mv $@.part $@

lint: test-packages
	@echo "Checking the style."
	@swift format lint --strict --recursive --parallel Sources Tests Package.swift
	@! mandoc -T lint Docs/man/* 2>/dev/null | grep -v 'referenced manual not found'

# The tests tell by the stamp that the programs were built in this way, and from the sources as they are.
release: build-packages
	@echo "Building (the first time takes a minute or two)."
	@$(BUILD) $(RELEASE) >.build/build.log 2>&1 || { cat .build/build.log; exit 1; }
	@touch $(BIN)/made

# First what requests use, then what else a start uses, as valgrind counts it: 20,000 requests, one at a time.
order: export LC_ALL := C
order: release test-packages
	@rm -f .build/order.socket; \
	valgrind --tool=callgrind --demangle=no --callgrind-out-file=.build/order.callgrind \
		$(BIN)/xcallbackd --config $(CONFIG) --socket .build/order.socket 2>.build/order.log & daemon=$$!; \
	for _ in {1..600}; do [ -S .build/order.socket ] && break; sleep 0.1; done; \
	coproc nc -U .build/order.socket; \
	for _ in {1..20000}; do \
		echo 'demo://x-callback-url/echo?text=Hello%20there&x-success=app://done?id=7' >&$${COPROC[1]}; \
		read -r <&$${COPROC[0]}; \
	done; \
	kill $$daemon; wait $$daemon
	@awk -F '[()]' '/^c?fn=/ { id = $$2; sub(/^ /, "", $$3); sub(/'"'"'.*/, "", $$3); if ($$3 != "") name[id] = $$3; \
			if (/^cfn/) callee = id } \
		/^calls=/ { split($$1, count, /[= ]/); calls[callee] += count[2] } \
		END { for (id in calls) print (calls[id] >= 20000 ? 0 : 1), name[id] }' .build/order.callgrind | sort -u \
		| awk 'NR == FNR { defined[$$NF]; next } $$2 in defined && !seen[$$2]++ { print $$2 }' \
			<(nm --defined-only $(BIN)/xcallbackd) - >Sources/xcallbackd/link.order
	@rm $(BIN)/xcallbackd

# All that is installed, in a tree of its own. The units name the programs where they are.
stage: release
	@rm -rf $(STAGE)
	@put() { folder=$(STAGE)$$2; install -d $$folder; install -m $$1 "$${@:3}" $$folder; }; \
	put 755 $(PREFIX)/bin $(BIN)/xcallbackd $(BIN)/xcallback; \
	strip $(STAGE)$(PREFIX)/bin/*; \
	put 644 $(PREFIX)/lib/systemd/system systemd/xcallbackd{.service,.socket,-run.socket,-run@.service}; \
	put 644 $(PREFIX)/lib/systemd/user systemd/user/xcallbackd.service systemd/user/xcallbackd.socket; \
	sed -i 's|/usr/bin/|$(PREFIX)/bin/|' $(STAGE)$(PREFIX)/lib/systemd/*/xcallbackd*.service; \
	put 644 $(PREFIX)/lib/systemd/catalog systemd/xcallbackd.catalog; \
	put 644 $(PREFIX)/lib/sysusers.d systemd/sysusers.d/xcallbackd.conf; \
	put 644 $(PREFIX)/lib/tmpfiles.d systemd/tmpfiles.d/xcallbackd.conf; \
	put 644 /etc/xcallbackd config/system.yaml; \
	mv $(STAGE)/etc/xcallbackd/system.yaml $(STAGE)/etc/xcallbackd/config.yaml; \
	put 644 $(PREFIX)/share/xcallbackd config/xcallbackd.schema.json; \
	for entry in $(wildcard config/*.desktop); do put 644 $(PREFIX)/share/applications $$entry; done; \
	for page in Docs/man/*; do put 644 $(PREFIX)/share/man/man$${page##*.} $$page; done; \
	put 644 $(PREFIX)/share/doc/xcallbackd README.md $(filter-out Docs/README.md,$(wildcard Docs/*.md)); \
	put 644 $(PREFIX)/share/doc/xcallbackd/Docs/Images Docs/Images/*; \
	put 644 $(PREFIX)/share/doc/xcallbackd/examples config/config.yaml systemd/xcallbackd.service.d/notify-reload.conf; \
	cp -r config/examples/. $(STAGE)$(PREFIX)/share/doc/xcallbackd/examples; \
	install -d $(STAGE)$(PREFIX)/share/{bash-completion/completions,fish/vendor_completions.d} $(STAGE)$(ZSH_COMPLETIONS); \
	complete() { $(BIN)/xcallback --generate-completion-script $$1 >$(STAGE)$$2; }; \
	complete bash $(PREFIX)/share/bash-completion/completions/xcallback; \
	sed -i "1{/^#!/d}" $(STAGE)$(PREFIX)/share/bash-completion/completions/xcallback; \
	complete zsh $(ZSH_COMPLETIONS)/_xcallback; \
	complete fish $(PREFIX)/share/fish/vendor_completions.d/xcallback.fish

# A configuration that is there is the administrator's, and stays. Files of an earlier version that this one does not have
# are removed.
install: stage
	@kept=; [ ! -e $(DESTDIR)/etc/xcallbackd/config.yaml ] || kept=--exclude=./etc/xcallbackd/config.yaml; \
	mkdir -p $(DESTDIR)/; \
	[ ! -e $(INSTALLED) ] || (cd $(STAGE); find . -type f -printf '/%P\n') | sort | comm -13 - <(sort $(INSTALLED)) \
		| while read -r file; do rm -f "$(DESTDIR)$$file"; done; \
	tar -C $(STAGE) $$kept --owner=0 --group=0 -cf - . \
		| tar -C $(DESTDIR)/ --no-overwrite-dir --keep-directory-symlink -xf -; \
	(cd $(STAGE); find . -type f -printf '/%P\n') >$(INSTALLED)
	@[ -n "$(DESTDIR)" ] || echo "Installed. Now: systemd-sysusers && systemd-tmpfiles --create xcallbackd.conf &&" \
		"journalctl --update-catalog && systemctl daemon-reload; Docs/Operations.md tells the rest."

# A configuration that somebody has changed stays.
uninstall:
	@[ -e $(INSTALLED) ] || { echo "Nothing is installed below $(DESTDIR)$(PREFIX)."; exit 1; }
	@while read -r file; do \
		[ "$$file" != /etc/xcallbackd/config.yaml ] || cmp -s config/system.yaml "$(DESTDIR)$$file" || continue; \
		rm -f "$(DESTDIR)$$file"; \
	done <$(INSTALLED)
	@rm $(INSTALLED)
	@for folder in $(DESTDIR)$(PREFIX)/share/xcallbackd $(DESTDIR)$(PREFIX)/share/doc/xcallbackd $(DESTDIR)/etc/xcallbackd; do \
		[ ! -d $$folder ] || find $$folder -depth -type d -empty -delete; \
	done

# Whoever builds the package maintains it, under the name and the address in DEBFULLNAME and DEBEMAIL, or those of git. A
# new machine has neither.
DEB := .build/deb
MAINTAINER := xcallbackd maintainers <maintainers@xcallbackd.invalid>
deb: override PREFIX := /usr
deb: ZSH_COMPLETIONS := /usr/share/zsh/vendor-completions
deb: package-packages stage
	@rm -rf $(DEB); mkdir -p $(DEB)/debian $(STAGE)/DEBIAN
	@identity() { git config "$$1" 2>/dev/null || true; }; \
	name=$${DEBFULLNAME:-$$(identity user.name)}; address=$${DEBEMAIL:-$$(identity user.email)}; \
	maintainer="$$name <$$address>"; [ -n "$$name" ] && [ -n "$$address" ] || maintainer="$(MAINTAINER)"; \
	version=$$($(BIN)/xcallbackd --version); version=$${version#* }; doc=$(STAGE)/usr/share/doc/xcallbackd; \
	cp systemd/debian/control $(DEB)/debian; \
	printf 'xcallbackd (%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n' \
		"$$version" "$$version" "$$maintainer" "$$(date -R -r $(BIN)/made)" >$(DEB)/debian/changelog; \
	gzip -9n <$(DEB)/debian/changelog >$$doc/changelog.gz; \
	cp systemd/debian/copyright $$doc; \
	install -D -m 644 systemd/debian/lintian-overrides $(STAGE)/usr/share/lintian/overrides/xcallbackd; \
	gzip -9n $(STAGE)/usr/share/man/*/*; \
	cp systemd/debian/{postinst,prerm,postrm} $(STAGE)/DEBIAN; \
	echo /etc/xcallbackd/config.yaml >$(STAGE)/DEBIAN/conffiles; \
	(cd $(STAGE); find usr -type f -exec md5sum {} +) >$(STAGE)/DEBIAN/md5sums; \
	cd $(DEB); \
	{ dpkg-shlibdeps $(foreach program,xcallbackd xcallback,-e../stage/usr/bin/$(program)) \
		&& dpkg-gencontrol -P../stage -V"xcallbackd:Maintainer=$$maintainer" \
		&& dpkg-deb --root-owner-group --build ../stage .; } >build.log 2>&1 || { cat build.log; exit 1; }
	@echo $(DEB)/*.deb

# What the package does on booted systemd.
test-systemd: test-package
	@Tests/SystemTests/run $(DEB)/*.deb

# That 'uninstall' takes back what 'install' has put, and that the package is as Debian wants it.
test-package: system-packages release
	@echo "Testing the installation and the package."
	@{ Tests/SystemTests/install && $(MAKE) --no-print-directory deb \
		&& lintian --allow-root --fail-on error --suppress-tags bogus-mail-host $(DEB)/*.deb; } >.build/package.log 2>&1 \
		|| { cat .build/package.log; exit 1; }

build-packages: PACKAGES := $(BUILD_PACKAGES)
test-packages: PACKAGES := $(TEST_PACKAGES)
bench-packages: PACKAGES := $(BENCH_PACKAGES)
package-packages: PACKAGES := $(BUILD_PACKAGES) dpkg-dev
system-packages: PACKAGES := $(BUILD_PACKAGES) dpkg-dev systemd-container mmdebstrap lintian
build-packages test-packages bench-packages package-packages system-packages:
	@mkdir -p .build
	@missing=; for package in $(PACKAGES); do \
		[ "$$(dpkg-query -W -f '$${db:Status-Status}' $$package 2>/dev/null)" = installed ] || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
		echo "Installing Debian packages:$$missing"; \
		root=; [ "$$(id -u)" = 0 ] || root=sudo; \
		{ $$root apt-get update && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing; } \
			>.build/packages.log 2>&1 || { cat .build/packages.log; exit 1; }; \
	fi

python-packages: $(PYTHON_PACKAGES)

# The certification of asyncvarlink is in its source archive only.
$(PYTHON_PACKAGES): | test-packages
	@echo "Fetching the Python packages that the tests use."
	@mkdir -p .build; rm -rf $(PYTHON)
	@pip="$(PYTHON)/bin/pip -q --disable-pip-version-check"; \
	{ python3 -m venv $(PYTHON) && $$pip install varlink==$(VARLINK) asyncvarlink==$(ASYNCVARLINK) \
		&& $$pip download --no-deps --no-binary :all: -d $(PYTHON)/archive asyncvarlink==$(ASYNCVARLINK) \
		&& tar -C $(PYTHON) -xzf $(PYTHON)/archive/asyncvarlink-$(ASYNCVARLINK).tar.gz \
		&& mv $(PYTHON)/asyncvarlink-$(ASYNCVARLINK) $(PYTHON)/asyncvarlink && touch $@; \
	} >.build/python.log 2>&1 || { cat .build/python.log; exit 1; }

clean:
	@rm -rf .build
