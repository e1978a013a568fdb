import { useState } from 'react'
import { useRead } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { List } from '#parts/list/list.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { text } from './forwarding-text.ts'
import { ForwardingForm } from './forwarding-form.tsx'
import type { LineId } from './line-id.ts'
import { useForwardingColumns, useForwardingActions } from './use-forwarding-rows.tsx'

const maxForwardings = 10

/** The list is small, and the service takes it as a whole: every change sends it all. */
export const Forwardings = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const forwardings = useRead('listForwardings', { ...line })
  const [edited, setEdited] = useState<number>()
  const list = forwardings.data?.items ?? []
  const columns = useForwardingColumns(line, list, mayChange)
  const actionsOf = useForwardingActions(line, list, setEdited)
  const add = mayChange && list.length < maxForwardings && (
    <AddButton variant="default" onClick={() => setEdited(list.length)}>
      {say.add}
    </AddButton>
  )
  return (
    <Section title={say.title} description={say.hint} actions={add} flush>
      <Loaded query={forwardings}>
        {({ items }) => (
          <List
            name="forwardings"
            label={say.title}
            rows={items.map((forwarding, place) => ({ ...forwarding, place }))}
            columns={columns}
            rowKey={({ place }) => String(place)}
            {...(mayChange && { rowActions: actionsOf })}
            empty={
              <NothingHere icon="forward" title={say.empty}>
                {say.emptyHint}
              </NothingHere>
            }
          />
        )}
      </Loaded>
      {edited !== undefined && <ForwardingForm line={line} list={list} place={edited} onClose={() => setEdited(undefined)} />}
    </Section>
  )
}
