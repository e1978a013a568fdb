// test: slow
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plantAccount, talkativeEndpoint } from '#test/privacy/plant-account.ts'
import { Planted } from '#test/privacy/planted.ts'
import { dumpablePostgres, remainsIn, takeSamples } from '#test/privacy/remains.ts'
import { bothDatabases, startWorld } from '#test/world/world.ts'

for (const database of bothDatabases)
  test(`${database}: leaves none of 200 values of an erased account in files, rows and pages, and keeps all of another account`, async (t) => {
    let planted = new Planted('zarquon', '1111')
    const endpoint = await talkativeEndpoint(t, () => planted)
    const url = database === 'postgres' ? await dumpablePostgres() : undefined
    const settings = { OFFHOOK_EGRESS_ALLOW: endpoint.address, ...(url !== undefined && { DATABASE_URL: url }) }
    const world = await startWorld(t, { settings })
    const remains = ({ tokens }: Planted): Promise<string[]> => remainsIn(world.data, url, tokens)

    const peerNodes = new Planted('brontit', '2222')
    planted = peerNodes
    await plantAccount(t, world, await world.newAccount(), peerNodes, endpoint)
    const erased = new Planted('zarquon', '1111')
    planted = erased
    const ada = await world.newAccount()
    await plantAccount(t, world, ada, erased, endpoint)
    assert.ok(erased.tokens.length >= 200, `${erased.tokens.length} values`)
    if (url !== undefined) await takeSamples(url)
    const before = await remains(erased)
    // Always sealed: the address of a browser.
    assert.ok(before.length >= erased.tokens.length - 1, `only ${before.length} of ${erased.tokens.length} are found at all`)
    // Bytes of rows deleted before are removed with the first erasure of any person.
    await world.running.deps.personalData.erase({ type: 'number', accountId: ada.accountId, number: '+4915199999999' })
    const kept = await remains(peerNodes)

    const report = await world.running.deps.personalData.erase({ type: 'account', accountId: ada.accountId })
    assert.ok(report.deletedFiles > 0)
    assert.deepEqual(await remains(erased), [])
    assert.deepEqual(await remains(peerNodes), kept)
    assert.deepEqual((await (await world.operator()).verifyAudit()).broken, [])
  })
