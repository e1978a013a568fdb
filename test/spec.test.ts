// test: check
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, type Operation } from '@offhook/contract'
import { errors } from '@offhook/contract/errors.ts'
import { ownOperations } from './data/own-operations.ts'
import { specifiedOperations } from './data/specified-operations.ts'

const declared = Object.values<Operation>(operations)
const name = ({ method, path }: Operation): string => `${method} ${path}`

test('declares the 67 operations of the specification with their bearer marks', () => {
  assert.equal(specifiedOperations.length, 67)
  const marks = new Map(declared.map((operation) => [name(operation), operation.bearer]))
  for (const [method, path, bearer] of specifiedOperations) {
    assert.equal(marks.get(`${method} ${path}`), bearer, `${method} ${path} is missing or has another bearer mark`)
  }
})

test('lists exactly the operations beyond the specification in the second table', () => {
  const specified = new Set(specifiedOperations.map(([method, path]) => `${method} ${path}`))
  const beyond = declared.map(name).filter((one) => !specified.has(one))
  assert.deepEqual(beyond.toSorted(), [...ownOperations].toSorted())
})

test('names every operation once, by its key', () => {
  for (const [key, operation] of Object.entries<Operation>(operations)) assert.equal(operation.id, key)
  assert.equal(new Set(declared.map(name)).size, declared.length)
})

test('declares the callers of every operation', () => {
  for (const operation of declared) {
    if (operation.auth === 'user') assert.ok(operation.scopes?.length, `${operation.id} names no scope`)
    else assert.equal(operation.scopes, undefined, `${operation.id} names scopes that nobody checks`)
    if (operation.bearer) assert.notEqual(operation.auth, 'public', `${operation.id} is marked but open`)
  }
})

test('has every error of an operation in the catalogue', () => {
  for (const { id, errors: named = [] } of declared) for (const code of named) assert.ok(code in errors, `${id} names ${code}`)
})
