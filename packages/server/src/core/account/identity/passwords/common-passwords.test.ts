import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword } from './good-password.ts'
import { randomCharacters } from '../tokens/tokens.ts'

test('recognises the most used passwords in all disguises', () => {
  const common = [
    'password1234',
    'Passwort2024!',
    'P@ssw0rd1234',
    'passwordpassword',
    'iloveyou1234',
    'Welcome12345',
    'qwertyuiop12',
    'qwertzuiop123',
    '1q2w3e4r5t6y',
    '1qaz2wsx3edc',
    '123456789012',
    '987654321098',
    '111111111111',
    'abcabcabcabc',
    'abcdefghijkl',
    'Admin_Admin_2025',
    'letmein-letmein',
    'Sommer2026Sommer',
    'test test test test',
    'administrator1',
    'hallohallo123',
    'ILoveYou!!!!!!',
    'offhook12345',
    'pass.word.1234',
  ]
  assert.deepEqual(
    common.filter((password) => !isCommonPassword(password)),
    [],
  )
})

test('accepts an individual password', () => {
  const good = [
    'correct horse battery staple',
    'a new and better password',
    'another good password',
    'password number 17',
    'twelve chars',
    'the operator’s password',
    'Tr0ub4dor&3xyz',
    'kartoffelsalat mit speck',
    'password-83720465',
    'ёжик в тумане',
  ]
  assert.deepEqual(good.filter(isCommonPassword), [])
  for (let tried = 0; tried < 200; tried++) assert.equal(isCommonPassword(randomCharacters(20)), false)
})

test('checks a very long password quickly', () => {
  assert.equal(isCommonPassword(`${'passwordtest'.repeat(80)}x`), false)
  assert.equal(isCommonPassword('ab1'.repeat(300) + '?'.repeat(100)), true)
})
