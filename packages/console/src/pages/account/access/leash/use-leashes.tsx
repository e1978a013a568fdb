import { Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useRead } from '#api/use-service.ts'
import type { MenuAction } from '#parts/table/row-menu.tsx'
import { useText } from '#words/use-text.tsx'
import { LeashModal, type Holder } from './leash-modal.tsx'
import type { Leash } from './leash-form.ts'
import { text } from './text.ts'

export interface UsedLeashes {
  /** How tightly somebody is held, for a cell of a table. */
  cell: (leashId: string) => ReactNode
  /** Opens the form. */
  action: (holder: Holder) => MenuAction
  /** The form, while it is open. */
  modal: ReactNode
}

/** Leashes beside those who are held by them. */
export const useLeashes = (): UsedLeashes => {
  const say = useText(text)
  const leashes = useRead('listLeashes')
  const [holder, setHolder] = useState<Holder>()
  const leashOf = (leashId: string): Leash | undefined => leashes.data?.items.find((leash) => leash.leashId === leashId)
  return {
    cell: (leashId) => leashes.data && <Summary leash={leashOf(leashId)} />,
    action: (who) => ({ label: say.open, icon: 'shield', disabled: leashes.data === undefined, onClick: () => setHolder(who) }),
    modal: holder && <LeashModal holder={holder} leash={leashOf(holder.leashId)} onClose={() => setHolder(undefined)} />,
  }
}

const Summary = ({ leash }: { leash: Leash | undefined }) => {
  const say = useText(text)
  if (!leash)
    return (
      <Text span inherit c="dimmed">
        {say.none}
      </Text>
    )
  const { allowedNumbers, hours, callsPerDay, smsPerDay, confirm, used } = leash
  const { summary } = say
  const parts = [
    allowedNumbers && (allowedNumbers.length === 0 ? summary.nobody : summary.numbers(allowedNumbers.length)),
    callsPerDay !== undefined && summary.calls(used.calls, callsPerDay),
    smsPerDay !== undefined && summary.sms(used.sms, smsPerDay),
    hours && summary.hours(hours.from, hours.to),
    confirm === 'client' && summary.confirms,
  ].filter(Boolean)
  return parts.length === 0 ? summary.loose : parts.join(' · ')
}
