import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Vault } from '#core/kernel/ports/platform.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Algorithm and key generation of a sealed text; protected by the tag. */
const PREFIX = 'v1:'

/** The key comes from the setting or, without one, from a file that is created on the first start. */
export async function openVault(options: { key?: string; file: string }): Promise<Vault> {
  return vaultOf(options.key ?? (await keyFromFile(options.file)), options.key === undefined ? options.file : undefined)
}

/** `file`: source of the key, for error messages; default: the settings. */
export function vaultOf(text: string, file?: string): Vault {
  const key = decodeKey(text, file === undefined ? 'The vault key in the settings' : `The vault key in ${file}`)
  return {
    seal: (plain) => seal(key, plain),
    open: (sealed) => unseal(key, sealed),
    derive: (purpose) => new Uint8Array(hkdfSync('sha256', key, '', purpose, KEY_BYTES)),
  }
}

function seal(key: Buffer, plain: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(PREFIX))
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return PREFIX + sealed.toString('base64url')
}

function unseal(key: Buffer, sealed: string): string {
  if (!sealed.startsWith(PREFIX)) throw new Error('Not a sealed text: it does not start with a known key id')
  const bytes = decodeExactly(sealed.slice(PREFIX.length))
  if (!bytes || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('The sealed text is damaged: a part of it is missing')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(PREFIX)).setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch (error) {
    throw new Error('The sealed text has been changed or was sealed with another key', { cause: error })
  }
}

/** Buffer.from skips characters that are not base64, which would let two different texts open to the same secret. */
function decodeExactly(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

function decodeKey(text: string, source: string): Buffer {
  const bytes = decodeExactly(text.trim().replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
  if (bytes?.length !== KEY_BYTES) throw new Error(`${source} must be ${KEY_BYTES} bytes in base64`)
  return bytes
}

async function keyFromFile(file: string): Promise<string> {
  return (await readKeyFile(file)) ?? createKeyFile(file)
}

/** Undefined if it does not exist. */
export async function readKeyFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The key is complete on disk before it gets its name, and `link` never replaces a key that another process made first. */
async function createKeyFile(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await syncDirectory(dirname(file))
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(file, 'utf8')
}

/** A file's name survives a power cut only if its directory has been flushed as well. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
