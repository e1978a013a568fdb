// test: own process
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { assistant } from '@offhook/sdk'
import { temporaryFolder } from '#test/store/databases.ts'
import { offhook, output } from '#test/machine/program.ts'
import { test as runTests, type TestOptions } from './test.ts'

const sdk = join(import.meta.dirname, '../../../sdk/src/index.ts')
const bistro = `import { live } from '${sdk}'
setInterval(() => {}, 1_000) // as a module that has something open
export default live({
  session_start: () => 'Welcome to the bistro.',
  user_speak: ({ text }) => (/bye/.test(text) ? ['Goodbye!', { type: 'hangup' }] : 'We are open from Tuesday to Sunday.'),
})
`
const good = `name: hours
steps:
  - expect: { said: welcome }
  - say: When are you open?
  - expect: { said: tuesday to sunday }
  - say: bye
  - expect: { ended: assistant_hangup }
`
const bad = `name: "prices <of> cakes"
steps:
  - say: What is a cake?
  - expect: { said: [euros, cents] }
`

const folderWith = async (t: TestContext, files: Record<string, string>): Promise<string> => {
  const folder = await temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

test('runs scenarios next to the code and reports failures with their conversation, in JUnit and JSON', async (t) => {
  const folder = await folderWith(t, { 'bot.ts': bistro, 'a.scenario.yaml': good, 'b.scenario.yml': bad, 'c.yaml': 'no: scenario' })
  const module = ['--module', join(folder, 'bot.ts')]
  const junit = join(folder, 'junit.xml')
  const [code, notified] = await output(offhook(t, ['test', folder, ...module, '--junit', junit]))
  assert.equal(code, 1, notified)
  assert.match(notified, /✔ hours \d+ ms {2}\S+a\.scenario\.yaml\n✖ prices <of> cakes \d+ ms/)
  assert.match(notified, /step 2: After the caller said “What is a cake\?”: expected to hear “euros”, but what was said is “We are open/)
  assert.match(notified, /0\.0 s ◀ Welcome to the bistro\.\n +1\.5 s ▶ What is a cake\?\n/)
  assert.match(notified, /\n1 passed, 1 failed\n$/)
  const xml = await readFile(junit, 'utf8')
  assert.match(xml, /<testsuite name="offhook" tests="2" failures="1" errors="0"/)
  assert.match(
    xml,
    /<testcase name="prices &lt;of&gt; cakes" classname="\S+b\.scenario\.yml" time="[\d.]+">\n<failure message="After the caller/,
  )

  const [fine, json] = await output(offhook(t, ['test', join(folder, 'a.scenario.yaml'), ...module, '--json', '--repeat', '3']))
  const read = JSON.parse(json) as { passed: boolean; outcomes: { reports: unknown[] }[] }
  assert.deepEqual([fine, read.passed, read.outcomes[0]?.reports.length], [0, true, 3])
})

test('tests a signed endpoint by address, and reports a missing one', async (t) => {
  const folder = await folderWith(t, {
    'a.scenario.json': JSON.stringify({ name: 'echo', steps: [{ say: 'One' }, { expect: { said: 'one' } }] }),
  })
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const { handle } = assistant({ user_speak: ({ text }) => text }, { secret })
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const [code, notified] = await output(offhook(t, ['test', folder, '--endpoint', url, '--secret', secret]))
  assert.equal(code, 0, notified)
  server.close()
  server.closeAllConnections()
  const [gone, , why] = await output(offhook(t, ['test', folder, '--endpoint', url]))
  assert.deepEqual([gone, /127\.0\.0\.1:\d+\/ cannot be reached: ECONNREFUSED/.test(why)], [3, true], why)
})

test('names the package.json that keeps a module from loading', async (t) => {
  const bot = "import { live } from '@offhook/sdk'\nexport const bot = live({})\n"
  const folder = await folderWith(t, { 'x.scenario.yaml': good, 'bot.ts': bot, 'package.json': '{ "type": "commonjs" }' })
  const options = { jobs: 8, repeat: 1, minPass: 1, module: join(folder, 'bot.ts') }
  await assert.rejects(runTests([folder], options), { exitCode: 2, message: /package\.json says "type": "commonjs"/ })
})

test('rejects impossible arguments before running anything', async (t) => {
  const folder = await folderWith(t, { 'x.scenario.yaml': 'name: x\nsteps:\n  - sing: y\n', 'bot.js': 'export const a = 1' })
  const file = join(folder, 'x.scenario.yaml')
  const given = { jobs: 8, repeat: 1, minPass: 1 }
  const endpoint = 'http://127.0.0.1:1/'
  const cases: [string, Partial<TestOptions>, RegExp][] = [
    [folder, {}, /What is to be tested\? One of --endpoint/],
    [file, { endpoint }, /x\.scenario\.yaml:3: steps\[1\]: a step is one of say, /],
    [join(folder, 'none'), { endpoint }, /There is no \S+none\./],
    [folder, { endpoint, live: true }, /are about a flow: --flow/],
    [folder, { flow: 'Demo', voice: true }, /With --voice words are said in a call: --live/],
    [folder, { flow: 'Demo', live: true, voice: true, fast: true }, /--voice or --fast, and not both/],
    [folder, { endpoint, limit: ['response_p95=3'] }, /--limit response_p95=3\? Such as response_p95_ms=2000; there are response_p50_ms, /],
    [folder, { endpoint, limit: ['cut_offs=few'] }, /--limit cut_offs=few\?/],
    [folder, { endpoint, judge: 'http://x/' }, /--judge and --judge-model belong together/],
    [join(folder, 'y.scenario.yaml'), { endpoint: 'here' }, /--endpoint: Invalid URL/],
    [join(folder, 'y.scenario.yaml'), { module: join(folder, 'bot.js') }, /bot\.js exports no assistant: live/],
    [join(folder, 'y.scenario.yaml'), { module: join(folder, 'none.js') }, /none\.js cannot be loaded: /],
  ]
  await writeFile(join(folder, 'y.scenario.yaml'), good)
  for (const [path, options, why] of cases) await assert.rejects(runTests([path], { ...given, ...options }), { exitCode: 2, message: why })
})
