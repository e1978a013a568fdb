import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openVault } from './file-vault.ts'

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'offhook-vault-'))
  t.after(() => rm(directory, { recursive: true }))
  return directory
}

const newKey = () => randomBytes(32).toString('base64')
const vaultWith = (key: string) => openVault({ key, file: '/nonexistent/vault.key' })

test('opens a sealed text, which looks different every time', async () => {
  const vault = await vaultWith(newKey())
  for (const plain of ['', 'secret', 'Grüße 📞', 'x'.repeat(100_000)]) {
    const sealed = vault.seal(plain)
    assert.match(sealed, /^v1:[\w-]+$/)
    assert.equal(vault.open(sealed), plain)
    assert.notEqual(vault.seal(plain), sealed)
  }
  assert.ok(!vault.seal('hunter2hunter2').includes(Buffer.from('hunter2hunter2').toString('base64url')))
})

test('rejects any changed character, truncation or addition', async () => {
  const vault = await vaultWith(newKey())
  const sealed = vault.seal('a SIP password')
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === 'A' ? 'B' : 'A'
    assert.throws(() => vault.open(sealed.slice(0, at) + other + sealed.slice(at + 1)), /sealed/, `character ${at}`)
    assert.throws(() => vault.open(sealed.slice(0, at)), /sealed/, `cut at ${at}`)
  }
  for (const hostile of [`${sealed}A`, `${sealed} `, `${sealed}==`, sealed.replace('v1:', 'v2:'), 'plain text', '', 'v1:']) {
    assert.throws(() => vault.open(hostile), /sealed/, hostile)
  }
})

test('rejects a text of another key with a clear message that contains no secret', async () => {
  const mine = await vaultWith(newKey())
  const theirs = await vaultWith(newKey())
  assert.throws(() => mine.open(theirs.seal('their secret')), /^Error: The sealed text has been changed or was sealed with another key$/)
})

test('creates the key file once, for the owner only, and leaves no other file', async (t) => {
  const directory = await temporaryDirectory(t)
  const file = join(directory, 'keys', 'vault.key')
  const vaults = await Promise.all(Array.from({ length: 8 }, () => openVault({ file })))
  const sealed = vaults[0]!.seal('shared by all')
  for (const vault of vaults) assert.equal(vault.open(sealed), 'shared by all')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(join(directory, 'keys')), ['vault.key'])
  const later = await openVault({ file })
  assert.equal(later.open(sealed), 'shared by all')
})

test('the setting may hold the same key as the file', async (t) => {
  const file = join(await temporaryDirectory(t), 'vault.key')
  const sealed = (await openVault({ file })).seal('moved to a setting')
  const key = await readFile(file, 'utf8')
  assert.equal((await vaultWith(key)).open(sealed), 'moved to a setting')
  assert.equal((await vaultWith(Buffer.from(key, 'base64').toString('base64url'))).open(sealed), 'moved to a setting')
})

test('rejects an invalid key without repeating it, and never replaces a damaged key file', async (t) => {
  for (const key of ['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), `${newKey()}!`]) {
    await assert.rejects(vaultWith(key), { message: 'The vault key in the settings must be 32 bytes in base64' })
  }
  const file = join(await temporaryDirectory(t), 'vault.key')
  await writeFile(file, '')
  await assert.rejects(openVault({ file }), /must be 32 bytes in base64/)
  assert.equal(await readFile(file, 'utf8'), '')
})

test('derived keys are the same for the same key, and different for each purpose and each key', async () => {
  const key = newKey()
  const [vault, twin, other] = await Promise.all([vaultWith(key), vaultWith(key), vaultWith(newKey())])
  const nonces = Buffer.from(vault.derive('sip nonces'))
  assert.equal(nonces.length, 32)
  assert.deepEqual(Buffer.from(twin.derive('sip nonces')), nonces)
  for (const different of [vault.derive('something else'), other.derive('sip nonces'), Buffer.from(key, 'base64')])
    assert.notDeepEqual(Buffer.from(different), nonces)
})
