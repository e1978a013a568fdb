import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cacheFolder, docsFolder, inClone, manifest, promptsFolder, repository, templateFolder } from '#places.ts'

test('finds the surrounding folders in a clone', () => {
  assert.ok(inClone)
  for (const place of [
    manifest,
    promptsFolder,
    join(docsFolder, 'guides'),
    join(templateFolder, 'assistant.ts'),
    join(repository, '.ci/run'),
  ])
    assert.ok(existsSync(place), place)
})

test('uses the cache folder of each system', () => {
  assert.equal(cacheFolder({}, 'linux'), join(homedir(), '.cache/offhook'))
  assert.equal(cacheFolder({}, 'darwin'), join(homedir(), 'Library/Caches/offhook'))
  assert.equal(cacheFolder({ XDG_CACHE_HOME: '/caches' }, 'darwin'), '/caches/offhook')
})
