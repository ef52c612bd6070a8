;; SPDX-License-Identifier: BSD-3-Clause
;; guix build -f packages/guix/xhpl.scm, in the source tree.
(use-modules (guix packages)
             (guix gexp)
             (guix git-download)
             (guix build-system gnu)
             ((guix licenses) #:prefix license:)
             (gnu packages maths)
             (gnu packages mpi)
             (gnu packages pkg-config)
             (gnu packages python)
             (gnu packages web))

(package
  (name "xhpl")
  (version "1.0.0")
  (source (local-file "../.." "xhpl-source"
                      #:recursive? #t
                      #:select? (git-predicate (string-append
                                                (dirname (current-filename))
                                                "/../.."))))
  (build-system gnu-build-system)
  (arguments
   (list #:make-flags #~(list "CFLAGS=-O3")
         #:test-target "check"
         #:phases
         #~(modify-phases %standard-phases
             (replace 'configure
               (lambda _
                 (invoke "./configure" (string-append "--prefix=" #$output)))))))
  (native-inputs (list pkg-config python))
  (inputs (list openmpi openblas hwloc jansson))
  (home-page "https://www.netlib.org/benchmark/hpl")
  (synopsis "High-Performance Linpack benchmark for cores and GPUs")
  (description
   "This program solves a random dense system of linear equations on many
processes, checks the solution, and prints the rate.  It reads the
@file{HPL.dat} of HPL 2.3 and prints the same report.")
  (license (list license:bsd-3 license:asl2.0)))
