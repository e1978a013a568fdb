import { test } from 'node:test'
import { openTestDatabase } from '/work/main/test/support/databases.ts'
import { createAccount } from '/work/main/packages/server/src/core/accounts/create-account.ts'
import { VirtualClock } from '/work/main/test/support/virtual-clock.ts'
for (const db of ['sqlite','postgres'] as const) test(db, async (t) => {
  const { store, query } = await openTestDatabase(t, db)
  const clock = new VirtualClock(1e12)
  const accountId = await store.write((tables) => createAccount(tables, clock, { company: 'E', country: 'DE', locale: 'en_US', currency: 'EUR' }))
  for (let b = 0; b < 100; b++) await store.write(async (tables) => {
    for (let n = 0; n < 1000; n++) { const i = b*1000+n
      await tables.history.insert(accountId, { id: crypto.randomUUID(), userId: i%2?'w0':'w1', sessionId: `s${i}`, type: i%20===0?'VOICEMAIL':'CALL', direction: 'INCOMING', source: '+49'+i, target:'+491', sourceAlias:'', targetAlias:'', status:'PICKUP', connectionIds: i%2?['p0','e0']:['p1','e1'], endpoints:[], detail:{duration:3,callStatus:'SUCCESS'}, createdAt: 1e12+i, modifiedAt:1e12+i, read:false, archived:false, starred:false, note:'', labels:[] })
    }
  })
  if (db==='postgres') await query('analyze')
  const h = store.read.history
  const seenBy = { userId: 'w0', extensions: ['p0','v0'] }
  const time = async (name: string, f: () => Promise<unknown>) => { const ts=[]; let r; for (let k=0;k<5;k++){ const a=performance.now(); r=await f(); ts.push(performance.now()-a)} console.log(db, name, ts.map(x=>x.toFixed(0)).join(' '), JSON.stringify(r)?.slice(0,40)) }
  await time('count seenBy', () => h.count(accountId, { seenBy }))
  await time('count seenBy types CALL', () => h.count(accountId, { seenBy, types: ['CALL'] }))
  await time('count seenBy types VM', () => h.count(accountId, { seenBy, types: ['VOICEMAIL'] }))
  await time('count seenBy from last 1000', () => h.count(accountId, { seenBy, from: 1e12+99000 }))
  await time('list seenBy', () => h.list(accountId, { seenBy }, { limit: 11 }).then(l=>l.length))
  await time('list seenBy VM', () => h.list(accountId, { seenBy, types: ['VOICEMAIL'] }, { limit: 11 }).then(l=>l.length))
  await time('list seenBy FAX', () => h.list(accountId, { seenBy, types: ['FAX'] }, { limit: 11 }).then(l=>l.length))
  const sqls = { distinctparty: `select count(distinct entry_id) as n from history_party where account_id='${accountId}' and ext in ('w0','p0','v0')` ,
   probe: `select count(*) as n from history_entry h where account_id='${accountId}' and type in ('CALL') and exists (select 1 from history_party p where p.account_id='${accountId}' and p.ext in ('w0','p0','v0') and p.entry_id=h.id)`,
   capped: `select count(*) as n from (select 1 from history_entry h where account_id='${accountId}' and type in ('CALL') and exists (select 1 from history_party p where p.account_id='${accountId}' and p.ext in ('w0','p0','v0') and p.entry_id=h.id) limit 10001) q` }
  for (const [n,s] of Object.entries(sqls)) await time(n, () => query(s))
})
