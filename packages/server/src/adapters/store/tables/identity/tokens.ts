import type { Scope } from '@offhook/contract/scopes.ts'
import type { Leash, Leashes, LeashRules, NewToken, PersonalToken, Tokens, ValidToken } from '#core/kernel/ports/store/identity.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import { asFlag, asJson, asWords, hidden, record } from '../record.ts'
import { affectedRows, hasEffect } from '../row-counts.ts'
import { readRoleIds, toOwnRole } from './own-roles.ts'

const personal = record<Pick<Schema['token'], 'id' | 'name' | 'scopes' | 'created_at' | 'second_factor'>, PersonalToken>()({
  scopes: asWords<Scope>(),
  secondFactor: asFlag,
})

export const tokens = (db: Db): Tokens => ({
  async insert(token) {
    await db
      .insertInto('token')
      .values({
        ...holderColumns(token.holder),
        id: token.id,
        hash: token.hash,
        kind: token.kind,
        client_id: token.clientId ?? null,
        grant_id: token.grantId ?? null,
        name: token.name ?? '',
        scopes: token.scopes.join(' '),
        created_at: token.createdAt,
        expires_at: token.expiresAt ?? null,
        spent_at: null,
        last_seen_at: token.createdAt,
        program: token.program ?? null,
        place: token.place ?? null,
        second_factor: token.secondFactor ? 1 : 0,
      })
      .execute()
  },

  async findValid(hash, now) {
    const row = await db
      .selectFrom('token')
      .leftJoin('app_user', (join) =>
        join
          .onRef('app_user.account_id', '=', 'token.account_id')
          .onRef('app_user.ext', '=', 'token.user_ext')
          .on('app_user.disabled_at', 'is', null)
          .on('app_user.inactive_at', 'is', null),
      )
      .leftJoin('account', (join) => join.onRef('account.id', '=', 'token.account_id').on('account.closed_at', 'is', null))
      .leftJoin('leash', (join) =>
        join
          .onRef('leash.account_id', '=', 'token.account_id')
          .onRef('leash.user_ext', '=', 'token.user_ext')
          .on((eb) => eb.or([eb('leash.id', '=', eb.ref('token.id')), eb('leash.id', '=', eb.ref('token.client_id'))])),
      )
      .select([
        'token.id',
        'token.kind',
        'token.operator_id',
        'token.client_id',
        'token.grant_id',
        'token.scopes',
        'token.created_at',
        'token.expires_at',
        'token.last_seen_at',
        'token.second_factor',
      ])
      .select([
        'account.second_factor as demanded',
        'account.id as account_id',
        'app_user.ext as user_ext',
        'app_user.admin',
        'app_user.role',
        'app_user.role_ids',
        'leash.rules',
      ])
      .where('token.hash', '=', hash)
      .where((eb) => eb.or([eb('token.expires_at', 'is', null), eb('token.expires_at', '>', now)]))
      .executeTakeFirst()
    const holder = row && (await holderOf(db, row))
    if (!row || !holder) return undefined
    return {
      id: row.id,
      kind: row.kind,
      holder,
      clientId: row.client_id ?? undefined,
      grantId: row.grant_id ?? undefined,
      scopes: toScopes(row.scopes),
      createdAt: row.created_at,
      expiresAt: row.expires_at ?? undefined,
      lastSeenAt: row.last_seen_at ?? undefined,
      leash: row.rules === null ? undefined : (JSON.parse(row.rules) as LeashRules),
      secondFactor: row.second_factor === 1,
      secondFactorDemanded: row.demanded === 1,
    }
  },

  async has(accountId, userId, id) {
    const row = await db
      .selectFrom('token')
      .select('id')
      .where('account_id', '=', accountId)
      .where('user_ext', '=', userId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row !== undefined
  },

  async removeByHash(hash) {
    return hasEffect(db.deleteFrom('token').where('hash', '=', hash))
  },

  async spend(id, at) {
    return hasEffect(db.updateTable('token').set({ spent_at: at }).where('id', '=', id).where('spent_at', 'is', null))
  },

  async removeByClient(clientId) {
    await db.deleteFrom('token').where('client_id', '=', clientId).execute()
  },

  async removeByGrant(grantId) {
    await db.deleteFrom('token').where('grant_id', '=', grantId).execute()
  },

  async removeByUser(accountId, userId) {
    await db.deleteFrom('token').where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
  },

  async removeLogins(holder, keep = '') {
    const logins = db.deleteFrom('token').where('kind', '<>', 'personal').where('id', '<>', keep)
    await (
      'operatorId' in holder
        ? logins.where('operator_id', '=', holder.operatorId)
        : logins.where('account_id', '=', holder.accountId).where('user_ext', '=', holder.userId)
    ).execute()
  },

  async noteSecondFactor(id) {
    await db.updateTable('token').set({ second_factor: 1 }).where('id', '=', id).execute()
  },

  async complete(id, { scopes, expiresAt }) {
    await db
      .updateTable('token')
      .set({ scopes: scopes.join(' '), expires_at: expiresAt })
      .where('id', '=', id)
      .where('scopes', '=', '')
      .execute()
  },

  async listSessions(accountId, userId, now) {
    const rows = await db
      .selectFrom('token')
      .select(['id', 'created_at', 'last_seen_at', 'program', 'place'])
      .where('account_id', '=', accountId)
      .where('user_ext', '=', userId)
      .where('kind', '=', 'session')
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .execute()
    const sessions = rows.map((row) => ({
      id: row.id,
      createdAt: row.created_at,
      lastSeenAt: row.last_seen_at ?? row.created_at,
      program: row.program ?? '',
      place: row.place ?? '',
    }))
    return sessions.toSorted((a, b) => b.lastSeenAt - a.lastSeenAt || b.createdAt - a.createdAt)
  },

  async removeSession(accountId, userId, id) {
    return hasEffect(sessionsOf(db, accountId, userId).where('id', '=', id))
  },

  async removeOtherSessions(accountId, userId, keep) {
    return affectedRows(sessionsOf(db, accountId, userId).where('id', '<>', keep))
  },

  async noteSeen(id, at) {
    await db.updateTable('token').set({ last_seen_at: at }).where('id', '=', id).execute()
  },

  async listPersonal(accountId, userId) {
    return personal.all(personalOf(db, accountId, userId))
  },

  async removePersonal(accountId, userId, id) {
    return hasEffect(
      db
        .deleteFrom('token')
        .where('account_id', '=', accountId)
        .where('user_ext', '=', userId)
        .where('kind', '=', 'personal')
        .where('id', '=', id),
    )
  },

  async removeExpired(now) {
    return affectedRows(db.deleteFrom('token').where('expires_at', '<=', now))
  },
})

const sessionsOf = (db: Db, accountId: string, userId: string) =>
  db.deleteFrom('token').where('account_id', '=', accountId).where('user_ext', '=', userId).where('kind', '=', 'session')

const personalOf = (db: Db, accountId: string, userId: string) =>
  db
    .selectFrom('token')
    .select(['id', 'name', 'scopes', 'created_at', 'second_factor'])
    .where('account_id', '=', accountId)
    .where('user_ext', '=', userId)
    .where('kind', '=', 'personal')
    .orderBy('created_at')
    .orderBy('id')

const holderColumns = (holder: NewToken['holder']) =>
  'operatorId' in holder
    ? { account_id: null, user_ext: null, operator_id: holder.operatorId }
    : { account_id: holder.accountId, user_ext: holder.userId, operator_id: null }

const toScopes = (text: string): Scope[] => (text === '' ? [] : (text.split(' ') as Scope[]))

const holderOf = async (
  db: Db,
  row: {
    operator_id: string | null
    account_id: string | null
    user_ext: string | null
    admin: number | null
    role: 'BILLING' | 'DEVELOPER' | null
    role_ids: string | null
  },
): Promise<ValidToken['holder'] | undefined> => {
  const { operator_id: operatorId, account_id: accountId, user_ext: userId } = row
  if (operatorId !== null) return { operatorId }
  if (accountId === null || userId === null) return undefined
  const roleIds = row.admin === 1 ? [] : readRoleIds(row.role_ids)
  if (roleIds.length === 0) return { accountId, userId, role: row.admin === 1 ? 'ADMIN' : (row.role ?? 'USER') }
  const own = await db.selectFrom('own_role').selectAll().where('account_id', '=', accountId).where('id', 'in', roleIds).execute()
  return { accountId, userId, role: 'USER', ownRoles: own.map(toOwnRole) }
}

const leash = record<Schema['leash'], Leash>()({ user_ext: 'userId', rules: asJson<LeashRules>(), account_id: hidden })

export const leashes = (db: Db): Leashes => {
  const ofUser = (accountId: string, userId: string) =>
    db.selectFrom('leash').selectAll().where('account_id', '=', accountId).where('user_ext', '=', userId)

  return {
    async list(accountId, userId) {
      return leash.all(ofUser(accountId, userId).orderBy('id'))
    },

    async find(accountId, userId, id) {
      return leash.first(ofUser(accountId, userId).where('id', '=', id))
    },

    async set(accountId, { userId, id, holder, rules }) {
      const changed = leash.columns({ holder, rules })
      await db
        .insertInto('leash')
        .values({ account_id: accountId, user_ext: userId, id, ...changed })
        .onConflict((conflict) => conflict.columns(['account_id', 'user_ext', 'id']).doUpdateSet(changed))
        .execute()
    },

    async remove(accountId, userId, id) {
      return hasEffect(db.deleteFrom('leash').where('account_id', '=', accountId).where('user_ext', '=', userId).where('id', '=', id))
    },

    async removeByClient(clientId) {
      await db.deleteFrom('leash').where('id', '=', clientId).where('holder', '=', 'client').execute()
    },

    async removeByUser(accountId, userId) {
      await db.deleteFrom('leash').where('account_id', '=', accountId).where('user_ext', '=', userId).execute()
    },
  }
}
