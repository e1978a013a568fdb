import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { dumped, restoreDump, findProgram } from './postgres-dump.ts'

const never = new AbortController().signal

const aProgram = async (t: TestContext, name: string, script: string): Promise<string> => {
  const path = join(await temporaryFolder(t), name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

const saidBy = async (program: string, url: string): Promise<string> => {
  const pieces: Buffer[] = []
  for await (const piece of dumped({ program, url, signal: never })) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString()
}

test('passes the password in the environment and not as an argument', async (t) => {
  const program = await aProgram(t, 'pg_dump', 'echo "$*"; echo "password $PGPASSWORD"')
  for (const url of [
    'postgres://ada:s%40cret@db.example:5433/offhook?sslmode=require',
    'postgres://ada@db.example:5433/offhook?password=s%40cret&sslmode=no-verify',
  ]) {
    const [args = '', password] = (await saidBy(program, url)).split('\n')
    assert.match(args, /--dbname=postgres:\/\/ada@db\.example:5433\/offhook\?sslmode=require$/)
    assert.equal(password, 'password s@cret')
  }
  assert.match(
    await saidBy(program, 'postgres:///offhook?host=/run/postgresql'),
    /--dbname=postgres:\/\/\/offhook\?host=%2Frun%2Fpostgresql/,
  )
})

test("reports the program's error, also after output has begun", async (t) => {
  const failing = await aProgram(t, 'pg_dump', 'echo PGDMP; echo "pg_dump: error: no room" >&2; exit 1')
  await assert.rejects(saidBy(failing, 'postgres://127.0.0.1/x'), /pg_dump has failed: pg_dump: error: no room/)
  await assert.rejects(
    restoreDump({ program: failing, url: 'postgres://127.0.0.1/x', signal: never }, 'file'),
    /pg_restore has failed: .*no room/,
  )
})

test('rejects the dump of a program that is stopped midway', async (t) => {
  const endless = await aProgram(t, 'pg_dump', 'echo PGDMP; exec sleep 600')
  const ending = new AbortController()
  const pieces = dumped({ program: endless, url: 'postgres://127.0.0.1/x', signal: ending.signal })
  await pieces.next()
  ending.abort()
  await assert.rejects(pieces.next(), { name: 'AbortError' })
})

test("chooses the program of the server's version, otherwise a newer one, never an older one", async (t) => {
  const older = await aProgram(t, 'pg_dump', 'echo "pg_dump (PostgreSQL) 12.9"')
  const same = await aProgram(t, 'pg_dump', 'echo "pg_dump (PostgreSQL) 97.1 (Debian 97.1-1)"')
  const newer = await aProgram(t, 'pg_dump', 'echo "pg_dump (PostgreSQL) 99beta1"')
  const PATH = [older, newer, same].map((path) => join(path, '..')).join(':')
  assert.deepEqual(await findProgram('pg_dump', 97, { PATH }), { path: same, major: 97 })
  assert.deepEqual(await findProgram('pg_dump', 98, { PATH }), { path: newer, major: 99 })
  await assert.rejects(
    findProgram('pg_dump', 100, { PATH }),
    /version 100, and the newest pg_dump here is of version 99: install postgresql-client-100 or newer/,
  )
})
