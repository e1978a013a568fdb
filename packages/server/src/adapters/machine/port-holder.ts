import { execFile } from 'node:child_process'

type Way = 'tcp' | 'udp'

interface Question {
  program: string
  ask: (way: Way, port: number) => string[]
  /** What it told, as `name (pid 17)`; undefined when nothing of it was about a program. */
  read: (notified: string) => string | undefined
}

/** `LISTEN 0 511 127.0.0.1:8080 0.0.0.0:* users:(("node",pid=17,fd=20))` */
const ss: Question = {
  program: 'ss',
  ask: (way, port) => ['-H', '-l', '-n', '-p', way === 'tcp' ? '-t' : '-u', `sport = :${port}`],
  read: (notified) => named(/users:\(\("([^"]+)",pid=(\d+)/.exec(notified)),
}

/** One field a line: `p17`, `cnode`. Macs have it; Linux often has not. */
const lsof: Question = {
  program: 'lsof',
  ask: (way, port) => ['-nP', '-Fpc', ...(way === 'tcp' ? [`-iTCP:${port}`, '-sTCP:LISTEN'] : [`-iUDP:${port}`])],
  read(notified) {
    const [, pid, name] = /^p(\d+)\nc(.+)$/m.exec(notified) ?? []
    return pid === undefined || name === undefined ? undefined : `${name} (pid ${pid})`
  },
}

const named = (found: RegExpExecArray | null): string | undefined => (found ? `${found[1]} (pid ${found[2]})` : undefined)

/** Which program has opened a port, as far as the system tells: programs of other users are often not named. */
export const portHolder = async (way: Way, port: number, { portable = false } = {}): Promise<string | undefined> => {
  for (const { program, ask, read } of portable ? [lsof] : [ss, lsof]) {
    const found = read(await outputOf(program, ask(way, port)))
    if (found !== undefined) return found
  }
  return undefined
}

/** Nothing where there is no such program. */
const outputOf = (program: string, args: string[]): Promise<string> =>
  new Promise((resolve) => void execFile(program, args, { timeout: 5_000 }, (_, notified) => resolve(notified)))
