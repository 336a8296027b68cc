# shellcheck shell=bash
# What the suites of completions share: a bash that reads its line as it does from a terminal.

# typed OPTIONS PROGRAM WORD…: the words are typed, and M-* behind them, which puts all completions of the last one on the line. Of the
# program that this line would run, the arguments, a line each. OPTIONS: of shopt, for that bash.
typed() {
	local program=$2 executable=$HOOK
	case $program in
	oci-rdma-doctor) executable=$DOCTOR ;;
	oci-rdma-admin) executable=$ADMIN ;;
	esac
	cat >"$T/rc" <<-END
		. config/completion/$program
		$program() { if [ "\$1" = --help ]; then $executable --help; else printf '%s\n' "\$@"; fi; }
		shopt -s progcomp $1
		PS1= PS2=
	END
	printf '%s\e*\n' "${*:2}" | INPUTRC=/dev/null HISTFILE='' timeout "$PATIENCE" bash --noprofile --rcfile "$T/rc" -i 2>"$T/err"
}

# completed PROGRAM WORD…: the completions of the last word, in a line
completed() { typed '' "$@" | tail -n "+$(($# - 1))" | paste -sd ' '; }
