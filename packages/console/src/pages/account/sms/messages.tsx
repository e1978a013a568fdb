import { Button } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { useText } from '#words/use-text.tsx'
import { Conversation } from './conversation.tsx'
import classes from './messages.module.css'
import { text } from './text.ts'
import { ThreadList } from './thread-list.tsx'
import { threadWith, toThreads, type Thread } from './threads.ts'

const shownMessages = 200
const beginning = 'new'

/** The conversations, and the one that is open. Which one stands in the address. */
export const Messages = () => {
  const may = useMay()
  const history = useRead('listOwnHistory', { types: ['SMS'], limit: shownMessages }, { every: 2_000, when: may('CAN_GET_HISTORY') })
  return <Loaded query={history}>{({ items }) => <Threads threads={toThreads(items)} />}</Loaded>
}

const Threads = ({ threads }: { threads: readonly Thread[] }) => {
  const say = useText(text)
  const may = useMay()
  const [search, setSearch] = useSearchParams()
  const wanted = search.get('with') ?? undefined
  const open = (number: string | undefined): void => setSearch(number === undefined ? {} : { with: number })
  const thread = wanted === undefined ? undefined : threadWith(threads, wanted)
  const number = thread?.number ?? wanted
  return (
    <div className={classes.frame}>
      <section className={classes.panes} data-open={wanted !== undefined} aria-label={say.messages}>
        <div className={classes.list}>
          {may('CAN_ACCOUNT_SEND_WEB_SMS') && (
            <Button m="sm" leftSection={<Icon name="edit" size={16} />} onClick={() => open(beginning)}>
              {say.write}
            </Button>
          )}
          <ThreadList threads={threads} open={number} onOpen={open} />
        </div>
        <div className={classes.pane}>
          {wanted === undefined ? (
            <EmptyState icon="message" title={threads.length === 0 ? say.empty : say.threads}>
              {threads.length === 0 ? say.emptyBody : say.choose}
            </EmptyState>
          ) : (
            <Conversation key={number} number={number === beginning ? undefined : number} thread={thread} onOpen={open} />
          )}
        </div>
      </section>
    </div>
  )
}
