// test: own process
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { takeIntoUse } from '../packages/console/build/build.ts'

test('lets the service user read a build by another user, and keeps the assets of the previous build', async (t) => {
  const folder = await temporaryFolder(t)
  const place = join(folder, 'dist')
  const build = (asset: string): void => {
    const built = mkdtempSync(`${place}-`)
    mkdirSync(join(built, 'assets'))
    writeFileSync(join(built, 'index.html'), asset)
    writeFileSync(join(built, 'assets', asset), '')
    takeIntoUse(built, place)
  }
  build('one.js')
  assert.equal(statSync(place).mode & 0o777, 0o755)
  const longAgo = new Date(Date.now() - 3 * 24 * 60 * 60_000)
  build('two.js')
  utimesSync(join(place, 'assets/one.js'), longAgo, longAgo)
  build('three.js')
  assert.deepEqual(readdirSync(join(place, 'assets')).toSorted(), ['three.js', 'two.js'])
  assert.deepEqual(readdirSync(folder), ['dist'])
})
