import type { OutputOf } from '#api/use-service.ts'
import { useCountryName } from '#lazy-parts/country-select.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { refusals, wordsOfRefusal } from '#pages/account/portings/refusals.ts'
import { AccountLink } from '../parts/account-link.tsx'
import { text as sharedText } from '../parts/text.ts'
import { PortingState } from './porting-state.tsx'
import { text } from './text.ts'

export type Porting = OutputOf<'readPorting'>

export const PortingFacts = ({ porting }: { porting: Porting }) => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const format = useFormat()
  const countryName = useCountryName()
  const known = useText(refusals)
  const { accountId, direction, carrier, holder, portDate, preAgreementId, reason, cancelRequested, status } = porting
  return (
    <Section title={say.facts}>
      <Facts
        facts={[
          [say.state, <PortingState key="state" status={status} />],
          [say.cancelWanted, cancelRequested ? say.cancelWantedWords : undefined],
          [say.reason, reason === '' ? undefined : wordsOfRefusal(reason, known).join(' ')],
          [say.direction, say.directions[direction]],
          [account, <AccountLink key="account" accountId={accountId} />],
          [say.carrier, carrier ?? say.unknownCarrier],
          [say.date, portDate === '' ? say.noDate : format.date(portDate)],
          [
            say.holder,
            `${holder.name}, ${holder.street} ${holder.number}, ${holder.postcode} ${holder.city}, ${countryName(holder.country)}`,
          ],
          [say.agreement, preAgreementId],
        ]}
      />
    </Section>
  )
}
