import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemName } from './system.ts'

test('distinguishes macOS, Linux, and Linux on Windows (WSL)', () => {
  assert.equal(systemName('darwin', {}, '25.1.0'), 'macos')
  assert.equal(systemName('linux', {}, '6.12.0-generic'), 'linux')
  assert.equal(systemName('linux', {}, '5.15.153.1-microsoft-standard-WSL2'), 'wsl')
  assert.equal(systemName('linux', { WSL_DISTRO_NAME: 'Debian' }, '6.6.0-own'), 'wsl')
  assert.equal(systemName('freebsd', {}, '14.3'), 'freebsd')
})
