import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toneWav } from '#test/sound/wav.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'

/** Serves half a second of any tone: `/1075.wav`. Gives where. */
export const serveTones = async (scope: Scope): Promise<string> => {
  const server = createServer((request, reply) => void reply.end(toneWav({ hz: Number(/\d+/.exec(request.url ?? '')?.[0]), seconds: 0.5 })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
