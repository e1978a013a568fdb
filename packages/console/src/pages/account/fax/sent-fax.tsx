import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useRead } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { isUnderWay } from './fax-entry.ts'
import { FaxProgress } from './fax-progress.tsx'
import { text } from './text.ts'

const pollIntervalMs = 700

/** Follows a fax that was just sent until it is over. */
export const SentFax = ({ faxId, onHide }: { faxId: string; onHide: () => void }) => {
  const say = useText(text)
  const { phone } = useFormat()
  const queries = useQueryClient()
  const known = useRead('getOwnHistoryEntry', { entryId: faxId })
  const ended = known.data !== undefined && !isUnderWay(known.data)
  const fax = useRead('getOwnHistoryEntry', { entryId: faxId }, ended ? {} : { every: pollIntervalMs })
  const status = fax.data?.faxStatusType
  useEffect(() => void queries.invalidateQueries({ queryKey: ['listOwnHistory'] }), [queries, status])
  const hide = ended && (
    <Button size="xs" variant="default" onClick={onHide}>
      {say.hide}
    </Button>
  )
  return (
    <Section title={say.onItsWay(phone(fax.data?.target ?? ''))} actions={hide}>
      <Loaded query={fax}>{(entry) => <FaxProgress entry={entry} />}</Loaded>
    </Section>
  )
}
