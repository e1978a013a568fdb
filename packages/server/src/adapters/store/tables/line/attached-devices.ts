import type { Selectable } from 'kysely'
import type { AttachedDevice } from '#core/kernel/ports/store/line.ts'
import type { Db, Schema } from '#adapters/store/schema/index.ts'
import type { DeviceType } from '#core/kernel/ports/store/device.ts'

/** Existing devices whose owner has not left, for the lists of ringing devices; the caller joins the attaching table. */
export const attachedDevices = (db: Db, accountId: string) =>
  db
    .selectFrom('device')
    .innerJoin('extension', (join) =>
      join.onRef('extension.account_id', '=', 'device.account_id').onRef('extension.ext', '=', 'device.ext'),
    )
    .select(['device.ext as id', 'extension.alias', 'device.type', 'device.browser'])
    .where('device.account_id', '=', accountId)
    .where('extension.deleted_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('app_user')
            .select('app_user.ext')
            .whereRef('app_user.account_id', '=', 'device.account_id')
            .whereRef('app_user.ext', '=', 'device.owner')
            .where('app_user.inactive_at', 'is not', null),
        ),
      ),
    )
    .orderBy('extension.kind')
    .orderBy('extension.n')

type Row = Awaited<ReturnType<ReturnType<typeof attachedDevices>['execute']>>[number]

export const toAttached = (row: Row): AttachedDevice => ({ id: row.id, alias: row.alias, type: typeOf(row) })

type TypeColumns = Pick<Selectable<Schema['device']>, 'type' | 'browser'>

/** A browser phone is stored as a SIP phone without a login, which the previous release knows. */
export const columnOf = (type: DeviceType | undefined): TypeColumns['type'] =>
  type === undefined || type === 'BROWSER' ? 'REGISTER' : type

export const typeOf = ({ type, browser }: TypeColumns): DeviceType => (browser === 1 ? 'BROWSER' : type)
