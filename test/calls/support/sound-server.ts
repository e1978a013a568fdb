import { startLoopbackServer } from '#test/http/loopback-server.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { toneWav } from '#test/sound/wav.ts'

/** Serves half a second of any tone: `/1075.wav`. Returns the base URL. */
export const serveTones = async (scope: Scope): Promise<string> => {
  const hzOf = (url = ''): number => Number(/\d+/.exec(url)?.[0])
  return `http://${await startLoopbackServer(scope, ({ url }, reply) => void reply.end(toneWav({ hz: hzOf(url), seconds: 0.5 })))}`
}
