import type { AttachedDevice } from '#core/kernel/ports/store/line/phonelines.ts'
import type { Db } from '#adapters/store/schema/index.ts'
import { typeOf } from './device-type.ts'

/** Devices that still exist and whose owner has not left, as they are listed where they ring; the caller joins what they are attached to. */
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
