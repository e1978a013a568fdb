import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pages } from '../../pages/pages.ts'
import { isCurrent, menuOf, tabsAt } from './menu.ts'

const of = (role: 'user' | 'operator') => menuOf(pages.filter((page) => page.role === role))
const currentAt = (location: string): string[] =>
  [...of('user'), ...of('operator')].filter((entry) => isCurrent(entry, location)).map(({ name }) => name)

test('the menu is short, and every page of the console belongs to one of its entries', () => {
  assert.ok(of('user').length <= 11, 'the start, nine entries and the settings')
  assert.ok(of('operator').length <= 8)
  for (const { path } of pages) {
    if (['/operator/security'].includes(path)) continue
    assert.equal(currentAt(path).length, 1, path)
  }
  assert.deepEqual(currentAt('/'), ['start'])
  assert.deepEqual(currentAt('/lines/w0/p0'), ['system'])
})

test('pages of one entry are tabs of each other, pages below them are not', () => {
  const tabs = (location: string) => tabsAt(of('user'), location)?.pages.map(({ path }) => path)
  assert.deepEqual(tabs('/devices')?.slice(0, 4), ['/numbers', '/lines', '/groups', '/devices'])
  assert.equal(tabs('/devices/e0'), undefined)
  assert.equal(tabs('/'), undefined)
})

test('gives every page a path of its own', () => {
  const paths = pages.map(({ path }) => path)
  assert.deepEqual(
    paths.filter((path, at) => paths.indexOf(path) !== at),
    [],
  )
})
