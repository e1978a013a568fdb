import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { ourRoot } from '#test/machine/program.ts'
import { startExchange } from '#test/service/exchange.ts'
import { carrier, rtpPorts, type Candidate } from './candidate.ts'

/** The whole service as installed, without speech: SQLite, each commit flushed to the disk. */
export const startOffhook = async (scope: Scope): Promise<Candidate> => {
  const { first, last } = rtpPorts.offhook
  const exchange = await startExchange(scope, { OFFHOOK_LOG: 'error', OFFHOOK_RATE_LIMIT: '0', OFFHOOK_RTP: `${first}-${last}` })
  await exchange.newTrunk(carrier)
  const { deviceId, user, password } = await exchange.newDevice()
  const { number } = await exchange.newLine(deviceId)
  const { version } = JSON.parse(await readFile(join(ourRoot, 'package.json'), 'utf8')) as { version: string }
  return {
    name: 'offhook',
    version,
    pid: exchange.program.child.pid ?? -1,
    sip: exchange.sip,
    numbers: { bridged: number, assistant: exchange.demoNumber },
    login: { user, password },
  }
}
