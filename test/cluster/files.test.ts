import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createClient, type Client } from '@offhook/sdk'
import { aPdf } from '#test/fax/pdf-documents.ts'
import { gateTo, type Gate } from '#test/machine/gate.ts'
import { until } from '#test/machine/peer-process.ts'
import { offhook, output, ready } from '#test/machine/program.ts'
import { startSwift, type SwiftPeer } from '#test/peers/swift.ts'
import { startExchange } from '#test/service/exchange.ts'
import { emptyPostgres, temporaryFolder } from '#test/store/databases.ts'

const userId = 'w0'
const guide = join(import.meta.dirname, '../../docs/guides/files-on-s3.md')

/** Settings of the guide, with the store of this test in place of the example's. */
const settingsOfGuide = async (t: TestContext, swift: SwiftPeer, gate: Gate): Promise<Record<string, string>> => {
  const [, block = ''] = /```sh\n(.*?)```/s.exec(await readFile(guide, 'utf8')) ?? []
  const given = Object.fromEntries([...block.matchAll(/^export (\w+)=(\S+)/gm)].map(([, name, value]) => [name, value])) as Record<
    string,
    string
  >
  assert.equal(given.OFFHOOK_FILES, `s3://${swift.bucket}/offhook`)
  const secret = join(await temporaryFolder(t), 's3-secret')
  await writeFile(secret, `${swift.secret}\n`)
  const ours: Record<string, string> = {
    OFFHOOK_S3_URL: `http://127.0.0.1:${gate.port}`,
    OFFHOOK_S3_REGION: swift.region,
    OFFHOOK_S3_KEY: swift.key,
    OFFHOOK_S3_SECRET_FILE: secret,
  }
  assert.deepEqual(new Set(Object.keys(given)), new Set(['OFFHOOK_FILES', ...Object.keys(ours)]))
  return { ...given, ...ours }
}

const doctorSays = async (t: TestContext, settings: Record<string, string>): Promise<string> => {
  const [, stdout] = await output(offhook(t, ['doctor'], { ...settings, OFFHOOK_DATA: await temporaryFolder(t) }))
  return stdout.split('\n').find((line) => line.includes('files')) ?? stdout
}

const filesIn = async (data: string): Promise<string[]> =>
  (await readdir(join(data, 'faxes'), { recursive: true }).catch(() => [])).filter((name) => /\.(pdf|png|tif)$/.test(name))

/** Documents of all faxes in the history, read from this process. */
const documents = async (api: Client): Promise<number[]> => {
  const { items } = await api.listOwnHistory({ types: 'FAX' } as never)
  return Promise.all(items.map(async ({ documentUrl }) => (documentUrl === undefined ? 0 : (await fetch(documentUrl)).status)))
}

test('checks the store with doctor as in the guide, and serves a fax from every process although its process was killed before the upload', async (t) => {
  const swift = await startSwift(t)
  if (!swift) return
  const gate = await gateTo(t, Number(new URL(swift.url).port))
  const store = await settingsOfGuide(t, swift, gate)
  assert.match(await doctorSays(t, store), /✔.*bucket office/)
  assert.match(
    await doctorSays(t, { ...store, OFFHOOK_S3_SECRET_FILE: '', OFFHOOK_S3_SECRET: 'guessed' }),
    /✖.*OFFHOOK_S3_SECRET does not belong/,
  )
  await gate.shut()
  assert.match(await doctorSays(t, store), /✖.*cannot be reached: nothing listens there/)

  const installation = { ...store, DATABASE_URL: await emptyPostgres(), OFFHOOK_SECRET_KEY: randomBytes(32).toString('base64') }
  const data = await temporaryFolder(t)
  const here = await startExchange(t, { ...installation, OFFHOOK_DATA: data })
  const [line] = (await here.admin.listFaxlines({ userId })).items
  const recipient = await here.newNumber(line?.id ?? '')
  const content = aPdf(2).toString('base64')
  await here.admin.sendFax({}, { faxlineId: line?.id ?? '', recipient, filename: 'letter.pdf', base64Content: content })
  await until('a fax that was sent and received', async () => (await documents(here.admin)).join() === '200,200')
  assert.ok((await filesIn(data)).length >= 6)
  here.program.child.kill('SIGKILL')
  await here.program.ended

  const { token } = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as { token: string }
  const other = await ready(offhook(t, ['serve'], { ...installation, OFFHOOK_DATA: await temporaryFolder(t) }))
  const there = createClient({ baseUrl: other.http, token })
  assert.deepEqual(await documents(there), [503, 503])
  await gate.open()
  assert.deepEqual(await documents(there), [503, 503], 'on their way')
  await ready(offhook(t, ['serve'], { ...installation, OFFHOOK_DATA: data }))
  await until('all files in the store', async () => (await filesIn(data)).length === 0)
  assert.deepEqual(await documents(there), [200, 200])
})
