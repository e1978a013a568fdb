import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { Money } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './home.module.css'
import { text } from './text.ts'

/** A few figures; those that the user may not see are left out. */
export const Glance = () => {
  const say = useText(text)
  const may = useMay()
  const calls = useRead('listCalls', {}, { when: may('CAN_CONTROL_CALLS'), every: 3_000 })
  const balance = useRead('getBalance', {}, { when: may('CAN_GET_ACCOUNT_BALANCE') })
  const numbers = useRead('listNumbers', {}, { when: may('CAN_GET_NUMBERS') })
  const flows = useRead('listFlows', {}, { when: may('CAN_GET_FLOWS') })
  return (
    <dl className={classes.glance}>
      {may('CAN_CONTROL_CALLS') && <Figure name={say.callsNow} value={calls.data?.data.length} />}
      {may('CAN_GET_FLOWS') && <Figure name={say.flows} value={flows.data?.items.length} />}
      {may('CAN_GET_NUMBERS') && <Figure name={say.numbers} value={numbers.data?.items.length} />}
      {may('CAN_GET_ACCOUNT_BALANCE') && <Figure name={say.balance} value={balance.data && <Money {...balance.data} />} />}
    </dl>
  )
}

const Figure = ({ name, value }: { name: string; value: ReactNode }) => (
  <div className={classes.figure}>
    <dt>{name}</dt>
    <dd>{value ?? <Skeleton height={24} width={48} my={4} />}</dd>
  </div>
)
