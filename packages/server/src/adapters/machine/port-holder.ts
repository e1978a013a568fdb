import { execFile } from 'node:child_process'

type Way = 'tcp' | 'udp'

interface Question {
  program: string
  ask: (way: Way, port: number) => string[]
  /** Parses the output to `name (pid 17)`; undefined if it names no program. */
  read: (notified: string) => string | undefined
}

/** `LISTEN 0 511 127.0.0.1:8080 0.0.0.0:* users:(("node",pid=17,fd=20))` */
const ss: Question = {
  program: 'ss',
  ask: (way, port) => ['-H', '-l', '-n', '-p', way === 'tcp' ? '-t' : '-u', `sport = :${port}`],
  read: (notified) => named(/users:\(\("([^"]+)",pid=(\d+)/.exec(notified)),
}

/** One field per line: `p17`, `cnode`. Part of macOS; often missing on Linux. */
const lsof: Question = {
  program: 'lsof',
  ask: (way, port) => ['-nP', '-Fpc', ...(way === 'tcp' ? [`-iTCP:${port}`, '-sTCP:LISTEN'] : [`-iUDP:${port}`])],
  read(notified) {
    const [, pid, name] = /^p(\d+)\nc(.+)$/m.exec(notified) ?? []
    return pid === undefined || name === undefined ? undefined : `${name} (pid ${pid})`
  },
}

const named = (found: RegExpExecArray | null): string | undefined => (found ? `${found[1]} (pid ${found[2]})` : undefined)

/** The program that has opened a port, if the system reports it: programs of other users are often not named. */
export const portHolder = async (way: Way, port: number, { portable = false } = {}): Promise<string | undefined> => {
  for (const { program, ask, read } of portable ? [lsof] : [ss, lsof]) {
    const found = read(await outputOf(program, ask(way, port)))
    if (found !== undefined) return found
  }
  return undefined
}

/** Empty if the program does not exist. */
const outputOf = (program: string, args: string[]): Promise<string> =>
  new Promise((resolve) => void execFile(program, args, { timeout: 5_000 }, (_, notified) => resolve(notified)))
