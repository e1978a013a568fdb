import { Tabs } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { FaxLines } from './fax-lines.tsx'
import { FaxList } from './fax-list.tsx'
import { SendFax } from './send-fax.tsx'
import { text } from './text.ts'

export const FaxPage = () => {
  const say = useText(text)
  const may = useMay()
  return (
    <Page title={say.title} description={say.lead}>
      <Tabs defaultValue="faxes" keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="faxes">{say.faxes}</Tabs.Tab>
          <Tabs.Tab value="lines">{say.lines}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="faxes">
          {may('CAN_SEND_FAX') && <SendFax />}
          {may('CAN_GET_HISTORY') && <FaxList />}
        </Tabs.Panel>
        <Tabs.Panel value="lines">
          <FaxLines />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
