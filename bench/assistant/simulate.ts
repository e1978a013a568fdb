import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { runScenario } from '@offhook/sdk'
import { bot } from '../../examples/appointments/assistant.ts'

/**
 * Simulated conversations without service, sound or real time: CPU time of one with three turns (at most 5 ms), time for 1,000 of them (10 s), and
 * `offhook test` of 50 files (5 s).
 */
const conversations = 1_000
const files = 50

const scenario: Scenario = {
  name: 'three turns',
  steps: [
    { say: 'On Tuesday' },
    { expect: { said: 'at what' } },
    { say: 'At ten', into_ms: 1_500 },
    { expect: { said: 'is that right' } },
    { say: 'Yes' },
    { expect: { ended: 'assistant_hangup' } },
  ],
}

const passed = async (count: number): Promise<number> => {
  const reports = await Promise.all(Array.from({ length: count }, () => runScenario(scenario, bot)))
  return reports.filter(({ state }) => state === 'passed').length
}

await passed(100) // warm-up
const before = process.cpuUsage()
const startedAt = performance.now()
let good = 0
for (let done = 0; done < conversations; done += 10) good += await passed(10)
const wallSeconds = (performance.now() - startedAt) / 1000
const { user, system } = process.cpuUsage(before)

const folder = await mkdtemp(join(tmpdir(), 'offhook-bench-'))
try {
  for (let nth = 0; nth < files; nth++)
    await writeFile(join(folder, `${nth}.scenario.json`), JSON.stringify({ ...scenario, name: `three turns, ${nth}` }))
  const root = join(import.meta.dirname, '../..')
  const commandBegan = performance.now()
  const command = [join(root, 'bin/offhook.mjs'), 'test', folder, '--module', join(root, 'examples/appointments/assistant.ts')]
  await promisify(execFile)(process.execPath, command)
  const commandSeconds = (performance.now() - commandBegan) / 1000
  const cpuMs = (user + system) / 1000 / conversations
  console.log(
    JSON.stringify({
      bench: 'assistant/simulate',
      conversations,
      passed: good,
      cpuMsEach: Number(cpuMs.toFixed(2)),
      wallSeconds: Number(wallSeconds.toFixed(2)),
      files,
      testCommandSeconds: Number(commandSeconds.toFixed(2)),
    }),
  )
} finally {
  await rm(folder, { recursive: true })
}
