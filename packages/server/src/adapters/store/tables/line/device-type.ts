import type { Selectable } from 'kysely'
import type { DeviceType } from '#core/kernel/ports/store/device/devices.ts'
import type { Schema } from '#adapters/store/schema/index.ts'

type Row = Pick<Selectable<Schema['device']>, 'type' | 'browser'>

/** A phone in a browser is written as a SIP phone without a login, which the release before knows. */
export const columnOf = (type: DeviceType | undefined): Row['type'] => (type === undefined || type === 'BROWSER' ? 'REGISTER' : type)

export const typeOf = ({ type, browser }: Row): DeviceType => (browser === 1 ? 'BROWSER' : type)
