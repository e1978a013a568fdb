import { suspect, fine, type Check } from './finding.ts'
import { storedRows } from './stored-rows.ts'

const shown = 5

/** Accounts with phones, but without a number routed to one. */
const question = `
  select id from account
  where closed_at is null
    and exists (select 1 from device where device.account_id = account.id and device.type <> 'EXTERNAL')
    and not exists (
      select 1 from phone_number number
      where number.account_id = account.id and number.state = 'ACTIVE' and number.e164 is not null and number.flow_id is null and (
        exists (select 1 from phoneline_device ringing where ringing.account_id = number.account_id and ringing.phoneline = number.endpoint)
        or exists (select 1 from group_device ringing where ringing.account_id = number.account_id and ringing.hunt_group = number.endpoint)
        or exists (select 1 from device ringing where ringing.account_id = number.account_id and ringing.ext = number.endpoint)))
  order by id`

/** Whether the emergency services can call back their callers. */
export const checkEmergency: Check = async ({ settings }) => {
  const rows = await storedRows<{ id: string }>(settings, question)
  if (rows === undefined) return []
  if (rows.length === 0) return [fine('emergency calls', 'every account with phones has a number to be called back at')]
  const names = `${rows
    .slice(0, shown)
    .map(({ id }) => id)
    .join(', ')}${rows.length > shown ? ' …' : ''}`
  const accounts = rows.length === 1 ? `account ${names} has` : `${rows.length} accounts (${names}) have`
  return [
    suspect(
      'emergency calls',
      `${accounts} no number that leads to a phone: the emergency services cannot call back`,
      'Let a number of the account lead to a phone line or group; numbers of assistants and fax machines are never shown to the emergency services.',
    ),
  ]
}
