import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopedPermissions, type Restriction } from '@offhook/contract/restrictions.ts'
import { startWorld, type Person } from '#test/world/world.ts'
import { userOperations } from './examples.ts'
import { fillAccount } from './fixtures.ts'
import { aim, assertNoFault, bearer, send } from './requests.ts'

/** Concern the requester alone, or check the permission of what they name. */
const withoutPermission = new Set(
  'deleteSessionToken getAccess getUserInfo getOpenidUserInfo postOpenidUserInfo listRestrictions readPrice getSecondFactor beginTotp confirmTotp removeTotp listPasskeys beginPasskey addPasskey removePasskey renewRecoveryCodes listLoginSessions endLoginSession endOtherLoginSessions getTacs getWelcome setWelcome listAppEvents deleteAppEvent getPushKey subscribePush unsubscribePush listHolidays search getNumber getRouting setRouting deleteRouting changePassword'.split(
    ' ',
  ),
)

const setRole = async (admin: Person, user: Person, granted: Restriction[], scope?: { groups: string[] }): Promise<void> => {
  const input = { name: 'Role', permissions: granted, scope: scope ? { lines: [], assistants: [], ...scope } : null }
  const { id } = await admin.api.createRole({}, input)
  await admin.api.setUserRoles({ userId: user.userId }, { roleIds: [id] })
}

test('rejects every operation whose permission no role of the user has', async (t) => {
  const world = await startWorld(t)
  const { ada, ids } = await fillAccount(world)
  const bob = await world.newUser(ada.accountId)
  await setRole(ada, bob, [])
  for (const operation of userOperations()) {
    const { path, body } = aim(operation, { ...ids, userId: bob.userId })
    const { status, text } = await send(world.url, operation, path, body, bearer(bob))
    if (operation.permission) assert.equal(status, 403, `${operation.id} answered ${status}: ${text}`)
    else assert.ok(withoutPermission.has(operation.id), `${operation.id} has no permission`)
    assert.doesNotMatch(text, /MARKERA (?!event)|PRIVATEADA/, `${operation.id} shows ${text}`)
  }
})

test('lets in exactly the operations of the one permission that a role has', async (t) => {
  const world = await startWorld(t)
  const { ada, ids } = await fillAccount(world)
  const bob = await world.newUser(ada.accountId)
  const operations = userOperations().filter(({ permission }) => permission !== undefined)
  for (const granted of ['CAN_GET_HISTORY', 'CAN_GET_FLOWS', 'CAN_GET_CONTACTS', 'CAN_GET_AUDIT', 'CAN_GET_SCHEDULES'] as const) {
    await setRole(ada, bob, [granted])
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const { path } = aim(operation, { ...ids, userId: bob.userId })
      const { status, text } = await send(world.url, operation, path, undefined, bearer(bob))
      assert.equal(status === 403, operation.permission !== granted, `${operation.id} with ${granted} answered ${status}: ${text}`)
    }
  }
})

/** Operations that show only account-independent data. */
const ofNobody = /^(listVoices|makeSpeechSample)$/

test('shows and changes nothing beyond the scope of a role', async (t) => {
  const world = await startWorld(t)
  const { ada, ids } = await fillAccount(world)
  const bob = await world.newUser(ada.accountId)
  const own = await ada.api.createGroup({}, { alias: 'Own', members: [bob.userId] })
  await setRole(ada, bob, [...scopedPermissions], { groups: [own.id] })
  for (const operation of userOperations().filter(({ permission }) => permission && scopedPermissions.includes(permission))) {
    const { path, body } = aim(operation, ids)
    const answer = await send(world.url, operation, path, body, bearer(bob))
    assertNoFault(operation, answer, 'ids beyond the scope')
    assert.doesNotMatch(answer.text, /MARKERA|PRIVATEADA/, `${operation.id} shows ${answer.text}`)
    const named = /\{(aiFlowId|groupId|faxlineId|entryId|recordingId|faxId|callId)\}/.test(operation.path)
    const expected = named ? [400, 403, 404] : [200, 202, 400, 403, 404]
    if (!ofNobody.test(operation.id))
      assert.ok(expected.includes(answer.status), `${operation.id} answered ${answer.status}: ${answer.text}`)
  }
})
