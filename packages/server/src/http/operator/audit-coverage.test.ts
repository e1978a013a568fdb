import assert from 'node:assert/strict'
import test from 'node:test'
import { operations, type Operation } from '@offhook/contract'
import type { Client } from '@offhook/sdk'
import { codeOf } from '#test/http/authenticator.ts'
import { passkeyDevice } from '#test/http/passkey-device.ts'
import { startWorld, type World } from '#test/world/world.ts'
import type { AuditEntry } from '#core/kernel/ports/store/operate.ts'

interface Scene {
  world: World
  operator: Client
  accountId: string
}

/** Prepares the operation and returns the call itself, so that only the call is counted. */
type Example = (scene: Scene) => Promise<() => Promise<unknown>> | (() => Promise<unknown>)

const publicUrl = 'https://phone.example'
const berlin = { countrycode: 'DE', postcode: '10115', city: 'Berlin', street: 'Musterstraße', number: '1' }
const admin = { email: 'first@example.com', firstname: 'First', lastname: 'Admin' }
const card = { iccid: '8949000000000000001', puk1: '12345678', puk2: '87654321' }

const withTotp = async ({ operator, world }: Scene) => {
  const { secret } = await operator.beginOperatorTotp()
  await operator.confirmOperatorTotp({}, { code: codeOf(secret, world.clock.now()) })
}
const newPasskey = async ({ operator }: Scene) => {
  const { challenge, passkey } = await operator.beginOperatorPasskey()
  return { name: 'Key', challenge, passkey: passkeyDevice(publicUrl).make(passkey) }
}
const newTrunk = async ({ operator }: Scene) => (await operator.createTrunk({}, { name: 'Trunk', host: 'sip.example' })).id
const newPerson = async ({ operator, accountId }: Scene) =>
  operator
    .createUser({}, { accountId, email: 'some@example.com', firstname: 'Some', lastname: 'Body' })
    .then(({ id }) => ({ accountId, userId: id }))
const newNumber = async ({ operator, accountId }: Scene) =>
  operator.assignNumber({}, { accountId, number: '+4915112345678' }).then(({ id }) => ({ numberId: id }))
const newGroup = async ({ operator, accountId }: Scene) =>
  operator.createAccountGroup({}, { accountId, alias: 'Group' }).then(({ id }) => ({ accountId, groupId: id }))
const newCarrier = async ({ operator }: Scene) =>
  operator.createCarrier({}, { code: 'OTHER', name: 'Other', url: 'http://127.0.0.1:9' }).then(({ code }) => ({ carrierCode: code }))
const newTariff = async ({ operator }: Scene) =>
  operator.createTariff({}, { id: 'cheap', name: 'Cheap', currency: 'EUR' }).then(({ id }) => ({ tariffId: id }))
const newDevice = async ({ operator, accountId }: Scene) =>
  operator
    .createAccountDevice({}, { accountId, userId: 'w0', type: 'REGISTER', alias: 'Phone' })
    .then(({ id }) => ({ accountId, deviceId: id }))
const newPorting = async ({ operator, accountId }: Scene, carrier = 'NONE') => {
  const holder = { name: 'Some Body', street: 'Musterstraße', number: '1', postcode: '10115', city: 'Berlin', country: 'DE' }
  const input = { accountId, numbers: ['+4915112345678'], holder, carrier, email: 'some@example.com' }
  return operator.createPorting({}, input).then(({ id }) => ({ portingId: String(id) }))
}

/** One working example for each operator operation that changes state. */
const examples: Partial<Record<keyof typeof operations, Example>> = {
  createAccount:
    ({ operator }) =>
    () =>
      operator.createAccount({}, { company: 'New', admin }),
  updateAccount:
    ({ operator, accountId }) =>
    () =>
      operator.updateAccount({ accountId }, { company: 'Other' }),
  closeAccount:
    ({ operator, accountId }) =>
    () =>
      operator.closeAccount({ accountId }),
  createAccountExport:
    ({ operator, accountId }) =>
    () =>
      operator.createAccountExport({}, { accountId, subject: { type: 'ACCOUNT' } }),
  deleteAccountExport: async ({ operator, accountId }) => {
    const { id: exportId } = await operator.createAccountExport({}, { accountId, subject: { type: 'ACCOUNT' } })
    return () => operator.deleteAccountExport({ exportId })
  },
  createAccountErasure:
    ({ operator, accountId }) =>
    () =>
      operator.createAccountErasure({}, { accountId, subject: { type: 'ACCOUNT' } }),
  cancelAccountErasure: async ({ operator, accountId }) => {
    const { id: erasureId } = await operator.createAccountErasure({}, { accountId, subject: { type: 'ACCOUNT' } })
    return () => operator.cancelAccountErasure({ erasureId })
  },
  bookAccountFeature:
    ({ operator, accountId }) =>
    () =>
      operator.bookAccountFeature({ accountId, feature: 'SVCIO' }),
  cancelAccountFeature:
    ({ operator, accountId }) =>
    () =>
      operator.cancelAccountFeature({ accountId, feature: 'FAX' }),
  reviewAccountOutbound:
    ({ operator, accountId }) =>
    () =>
      operator.reviewAccountOutbound({ accountId }, { enabled: true, reviewer: 'R', reason: 'known' }),
  sendAccountVerification:
    ({ operator, accountId }) =>
    () =>
      operator.sendAccountVerification({ accountId }),

  createUser: (scene) => () => newPerson(scene),
  updateUser: async (scene) => {
    const target = await newPerson(scene)
    return () => scene.operator.updateUser(target, { lastname: 'Else' })
  },
  disableUser: async (scene) => {
    const target = await newPerson(scene)
    return () => scene.operator.disableUser(target)
  },
  setUserPassword: async (scene) => {
    const target = await newPerson(scene)
    return () => scene.operator.setUserPassword(target, { password: 'a rather long password' })
  },
  removeUserSecondFactor: async (scene) => {
    const target = await newPerson(scene)
    const subject = await scene.world.write(({ users }) => users.find(target.accountId, target.userId).then((user) => user?.subject ?? ''))
    await scene.world.write(({ secondFactors }) => secondFactors.beginTotp(subject, '', 0))
    return () => scene.operator.removeUserSecondFactor(target)
  },

  beginOperatorTotp:
    ({ operator }) =>
    () =>
      operator.beginOperatorTotp(),
  confirmOperatorTotp: async ({ operator, world }) => {
    const { secret } = await operator.beginOperatorTotp()
    return () => operator.confirmOperatorTotp({}, { code: codeOf(secret, world.clock.now()) })
  },
  removeOperatorTotp: async (scene) => {
    await withTotp(scene)
    return () => scene.operator.removeOperatorTotp()
  },
  beginOperatorPasskey:
    ({ operator }) =>
    () =>
      operator.beginOperatorPasskey(),
  addOperatorPasskey: async (scene) => {
    const input = await newPasskey(scene)
    return () => scene.operator.addOperatorPasskey({}, input)
  },
  removeOperatorPasskey: async (scene) => {
    const { id } = await scene.operator.addOperatorPasskey({}, await newPasskey(scene))
    return () => scene.operator.removeOperatorPasskey({ passkeyId: id })
  },
  renewOperatorRecoveryCodes: async (scene) => {
    await withTotp(scene)
    return () => scene.operator.renewOperatorRecoveryCodes()
  },
  demandOperatorSecondFactor: async (scene) => {
    await withTotp(scene)
    return () => scene.operator.demandOperatorSecondFactor({}, { demanded: true })
  },

  createTrunk: (scene) => () => newTrunk(scene),
  updateTrunk: async (scene) => {
    const trunkId = await newTrunk(scene)
    return () => scene.operator.updateTrunk({ trunkId }, { name: 'Other', host: 'sip.example' })
  },
  deleteTrunk: async (scene) => {
    const trunkId = await newTrunk(scene)
    return () => scene.operator.deleteTrunk({ trunkId })
  },

  reviveDeadLetter: async ({ world, operator }) => {
    await world.write(async ({ outbox }) => {
      await outbox.put({ id: 'lost', kind: 'mail', payload: {}, at: world.clock.now() })
      await outbox.giveUp('lost', 'no mail server')
    })
    return () => operator.reviveDeadLetter({ messageId: 'lost' })
  },

  reviveParkedJob: async ({ world, operator }) => {
    await world.write(async ({ jobs }) => {
      await jobs.schedule({ id: 'lost', kind: 'unknown', payload: {}, dueAt: world.clock.now() })
      await jobs.park('lost', world.clock.now(), 'the process died')
    })
    return () => operator.reviveParkedJob({ jobId: 'lost' })
  },

  createAddress:
    ({ operator, accountId }) =>
    () =>
      operator.createAddress({}, { accountId, ...berlin }),
  topUpBalance:
    ({ operator, accountId }) =>
    () =>
      operator.topUpBalance({ accountId }, { amount: 1, reason: 'paid', idempotencyKey: 'a' }),
  adjustBalance:
    ({ operator, accountId }) =>
    () =>
      operator.adjustBalance({ accountId }, { amount: 1, reason: 'gift', idempotencyKey: 'a' }),
  setCreditLimit:
    ({ operator, accountId }) =>
    () =>
      operator.setCreditLimit({ accountId }, { creditLimit: 1 }),
  setAccountLimits:
    ({ operator, accountId }) =>
    () =>
      operator.setAccountLimits({ accountId }, { perDay: 1 }),
  setInstallationLimits:
    ({ operator }) =>
    () =>
      operator.setInstallationLimits({}, { perDay: 1 }),
  setBilling:
    ({ operator }) =>
    () =>
      operator.setBilling({}, { topUpText: 'Call us.' }),

  createCarrier: (scene) => () => newCarrier(scene),
  updateCarrier: async (scene) => {
    const target = await newCarrier(scene)
    return () => scene.operator.updateCarrier(target, { name: 'Renamed' })
  },
  deleteCarrier: async (scene) => {
    const target = await newCarrier(scene)
    return () => scene.operator.deleteCarrier(target)
  },

  createAccountDevice: (scene) => () => newDevice(scene),
  deleteAccountDevice: async (scene) => {
    const target = await newDevice(scene)
    return () => scene.operator.deleteAccountDevice(target)
  },

  createAccountGroup: (scene) => () => newGroup(scene),
  changeAccountGroup: async (scene) => {
    const target = await newGroup(scene)
    return () => scene.operator.changeAccountGroup(target, { alias: 'Other' })
  },
  deleteAccountGroup: async (scene) => {
    const target = await newGroup(scene)
    return () => scene.operator.deleteAccountGroup(target)
  },

  assignNumber: (scene) => () => newNumber(scene),
  releaseNumber: async (scene) => {
    const target = await newNumber(scene)
    return () => scene.operator.releaseNumber(target)
  },
  deactivateNumber: async (scene) => {
    const target = await newNumber(scene)
    return () => scene.operator.deactivateNumber(target)
  },
  reactivateNumber: async (scene) => {
    const target = await newNumber(scene)
    await scene.operator.deactivateNumber(target)
    return () => scene.operator.reactivateNumber(target)
  },
  confirmNumber: async ({ operator, accountId }) => {
    const { id: addressId } = await operator.createAddress({}, { accountId, ...berlin, postcode: '99998', city: 'Nowhere' })
    const { id: numberId } = await operator.assignNumber({}, { accountId, number: '+493023125001', addressId })
    return () => operator.confirmNumber({ numberId })
  },

  addStock:
    ({ operator }) =>
    () =>
      operator.addStock({}, { numbers: ['+4915112345679'] }),
  removeStock: async ({ operator }) => {
    await operator.addStock({}, { numbers: ['+4915112345679'] })
    const [stocked] = (await operator.readStock({})).items
    return () => operator.removeStock({ stockId: stocked?.id ?? '' })
  },

  createPorting: (scene) => () => newPorting(scene),
  applyPortingEvent: async (scene) => {
    const target = await newPorting(scene)
    return () => scene.operator.applyPortingEvent(target, { event: 'form_received' })
  },
  movePortingDate: async (scene) => {
    const { operator, world } = scene
    await newCarrier(scene)
    const target = await newPorting(scene, 'OTHER')
    const agreed = { status: 400, portDate: '2027-03-01', preAgreementId: 'AGREED' } as const
    await world.write(async ({ portings }) => {
      const porting = await portings.lock(Number(target.portingId))
      assert.ok(porting)
      await portings.save({ ...porting, ...agreed }, world.clock.now())
    })
    return () => operator.movePortingDate(target, { portDate: '2027-03-08' })
  },

  addSimCard:
    ({ operator }) =>
    () =>
      operator.addSimCard({}, card),
  moveSimOrder: async ({ world, operator, accountId }) => {
    const owner = await world.newUser(accountId, { admin: true })
    const { userId } = owner
    await operator.topUpBalance({ accountId }, { amount: 1_000_000, reason: 'paid', idempotencyKey: 'sim' })
    const { id: addressId } = await operator.createAddress({}, { accountId, ...berlin })
    const { id: deviceId } = await operator.createAccountDevice({}, { accountId, userId, type: 'MOBILE', alias: 'Mobile' })
    await owner.api.orderSim({ userId, deviceId }, { addressId })
    const [order] = (await operator.listAllSimOrders()).items
    return () => operator.moveSimOrder({ orderId: order?.id ?? '' }, { event: 'cancel' })
  },

  drainNode: async ({ operator }) => {
    const [node] = (await operator.listNodes()).items
    return () => operator.drainNode({ nodeId: node?.id ?? '' }, { value: true })
  },

  createTariff: (scene) => () => newTariff(scene),
  setRate: async (scene) => {
    const target = await newTariff(scene)
    return () => scene.operator.setRate(target, { service: 'SMS', prefix: '49', perUnit: 1 })
  },
  closeRate: async (scene) => {
    const target = await newTariff(scene)
    const { id } = await scene.operator.setRate(target, { service: 'SMS', prefix: '49', perUnit: 1 })
    return () => scene.operator.closeRate({ ...target, rateId: String(id) })
  },
  putSandboxTimeForward:
    ({ operator }) =>
    () =>
      operator.putSandboxTimeForward({}, { seconds: 60 }),
  deleteOperatorSession:
    ({ operator }) =>
    () =>
      operator.deleteOperatorSession(),
}

const writes = Object.values<Operation>(operations).filter(({ auth, method }) => auth === 'operator' && method !== 'GET')

const wholeLog = async ({ running }: World): Promise<AuditEntry[]> => {
  const { audit } = running.deps.store.read
  const chains = await Promise.all((await audit.chains()).map((chain) => audit.list(chain, { afterSeq: 0, limit: 1000 })))
  return chains.flat()
}

test('has an example for every operator operation that changes state', () => {
  const without = writes.map(({ id }) => id).filter((id) => !(id in examples))
  assert.deepEqual(without, [])
})

for (const { id } of writes) {
  test(`${id} writes exactly one audit entry of the operator`, async (t) => {
    const world = await startWorld(t, { settings: { OFFHOOK_SANDBOX: 'on', OFFHOOK_PUBLIC_URL: publicUrl } })
    const operator = await world.operator()
    const { accountId } = await world.newAccount()
    const example = examples[id as keyof typeof operations]
    assert.ok(example, 'there is no example')
    const call = await example({ world, operator, accountId })
    const before = (await wholeLog(world)).map(({ hash }) => hash)
    await call()
    const added = (await wholeLog(world)).filter(({ hash }) => !before.includes(hash))
    assert.equal(added.length, 1, JSON.stringify(added))
    assert.match(added[0]?.actor ?? '', /^operator:operator-\d+$/)
  })
}
