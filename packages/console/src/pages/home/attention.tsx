import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { Matters, type Matter } from '#lazy-parts/matters.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

const every = 30_000

/** What an administrator has to put right; nothing when all is well. */
export const Attention = () => {
  const say = useText(text)
  const matters = useMatters()
  if (matters.length === 0) return null
  return (
    <Section title={say.attention}>
      <Matters matters={matters} />
    </Section>
  )
}

const useMatters = (): Matter[] => {
  const say = useText(text)
  const may = useMay()
  const flows = useRead('listFlows', undefined, { every, when: may('CAN_CHANGE_FLOWS') }).data?.items ?? []
  const numbers = useRead('listNumbers', {}, { every, when: may('CAN_CHANGE_NUMBERS') }).data?.items ?? []
  const purse = useRead('readLedger', { limit: 1 }, { every, when: may('CAN_GET_ACCOUNT_BALANCE') }).data
  const addressless = numbers.filter(({ state }) => state === 'ADDRESS_PENDING').length
  const isEmpty = purse !== undefined && purse.amount - purse.reserved + purse.creditLimit <= 0
  return [
    ...flows
      .filter(({ health }) => health?.state === 'FAILING')
      .map(({ id, name }) => ({ words: say.flowFails(name), to: `/flows/${id}/deliveries` })),
    ...(addressless > 0 ? [{ words: say.noAddress(addressless), to: '/numbers' }] : []),
    ...(isEmpty ? [{ words: say.noMoney, to: '/balance' }] : []),
  ]
}
