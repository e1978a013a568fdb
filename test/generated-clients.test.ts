// test: ship
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { npmCi } from '#test/packages/npm.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startWorld } from '#test/world/world.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const description = join(root, 'docs/api/openapi.json')

/** Program that uses a generated client: names from the description, checked by the compiler. */
const consumer = `
import createFetchClient from 'openapi-fetch'
import { createClient } from './hey-api/client/index.ts'
import { createContact, getAccount, getNumber, listNumbers, type Contact, type PhoneNumber } from './hey-api/index.ts'
import type { components, paths } from './openapi-typescript.d.ts'

const [, , baseUrl = '', token = ''] = process.argv
const client = createClient({ baseUrl, auth: token })
const account = await getAccount({ client, throwOnError: true })
const numbers: PhoneNumber[] = (await listNumbers({ client, throwOnError: true })).data.items
const { data: contact } = await createContact({ client, body: { name: 'Grace', numbers: ['+4915112345678'] } })
const made: Contact | undefined = contact
const { error } = await getNumber({ client, path: { numberId: 'none' } })
// @ts-expect-error a name without anything is a text
const wrong: number | undefined = made?.name

const other = createFetchClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
const listed = await other.GET('/v1/contacts')
const found: components['schemas']['Contact'][] = listed.data?.items ?? []
const changed = await other.PUT('/v1/contacts/{contactId}', {
  params: { path: { contactId: made?.id ?? '' } },
  body: { name: 'Grace Hopper' },
})
const history = await other.GET('/v2/history', { params: { query: { limit: 1 } } })
const entries: components['schemas']['HistoryEntry'][] = history.data?.items ?? []
const table = await other.GET('/v2/history/csv', { parseAs: 'text' })
const rows: string = table.data ?? ''
// @ts-expect-error there is no such operation
const nowhere = await other.GET('/v1/nothing')
const refused = await other.GET('/v1/numbers/{numberId}', { params: { path: { numberId: 'none' } } })

console.log(
  JSON.stringify({
    company: account.data.company,
    numbers: numbers.map(({ number }) => number),
    made: [made?.name, wrong],
    errors: [error?.code, refused.error?.code, nowhere.response.status],
    found: found.map(({ name }) => name),
    changed: changed.response.status,
    history: [entries.length, rows.split(',')[0]],
  }),
)
`

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'es2024',
  module: 'nodenext',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
}

test('compiles clients generated from the description and uses them with the service', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  await (await world.operator()).assignNumber({}, { accountId: ada.accountId, number: '+4915112345678' })
  const folder = await temporaryFolder(t)
  // They use an older TypeScript than the project.
  const generators = await npmCi(join(root, 'test/generators'), folder)
  const inFolder = (program: string, ...parameters: string[]) => run(process.execPath, [program, ...parameters], { cwd: folder })
  const output = { path: 'hey-api', module: { extension: '.ts' } }
  await writeFile(join(folder, 'hey-api.mjs'), `export default ${JSON.stringify({ input: description, output })}`)
  await Promise.all([
    inFolder(join(generators, '@hey-api/openapi-ts/bin/run.js'), '-f', 'hey-api.mjs', '--no-log-file', '-s'),
    inFolder(join(generators, 'openapi-typescript/bin/cli.js'), description, '-o', 'openapi-typescript.d.ts'),
  ])

  await writeFile(join(folder, 'consumer.ts'), consumer)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  const checked = await inFolder(join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json').catch((error: unknown) => error)
  assert.equal((checked as { stdout: string }).stdout, '')

  const { stdout } = await inFolder('consumer.ts', world.url, ada.token)
  assert.deepEqual(JSON.parse(stdout), {
    company: 'Example Ltd',
    numbers: ['+4915112345678'],
    made: ['Grace', 'Grace'],
    errors: ['number_not_found', 'number_not_found', 404],
    found: ['Grace'],
    changed: 204,
    history: [0, 'Created'],
  })
})
