const words = (text: string): string[] => text.trim().split(/\s+/);

/** Words that say nothing about a tool, in descriptions and queries. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  words(`
    a an the and or but nor if then else than that this these those there here it its is are was were be been being
    am of in on at by to for from with within without into onto upon over under about as per via not no yes so such
    same i me my mine myself you your yours yourself he him his she her hers we us our ours they them their theirs
    do does did doing done have has had having will would shall should can could may might must ought what which who
    whom whose when where why how while because until unless although though also too very just only even still yet
    already again ever never much many more most less least few some any all each every both either neither other
    another one ones own up down out off re ve ll etc eg ie s t d m`),
);

/** Words that address the assistant and do not describe the task. */
export const REQUEST_WORDS: ReadonlySet<string> = new Set(
  words(`
    please help helps helping want wants wanted need needs needed like would love hope wish try trying tell give
    gives giving show let lets know assist assistance assistant able using use used uses provide provides providing
    thanks thank hi hello hey okay ok sure maybe perhaps possible possibly kindly really looking look interested
    interest plugin plugins chatbot chatgpt something anything someone anyone thing things way ways lot lots bit
    kind kinds sort good great nice right got getting go going come comes put take takes taking explain detailed
    brief briefly quickly simply following include includes including certain various different specific particular
    actually m m’m don doesn didn isn aren won wouldn couldn ll im ive id its whats dont doesnt cant wont well back
    think feel say said ask asking question questions two three first last next finally additionally furthermore`),
);

/** Words that most tools and tasks share: they only break ties. */
export const GENERIC_WORDS: ReadonlySet<string> = new Set(
  words(`
    current currently available new today related relevant now best better find search get list create make generate
    show display information info detail details data recommend recommendation recommendations suggest suggestion
    suggestions option options result results top latest tool tools app application support access content user
    users people person time times day days year years world specific comprehensive name names number type types
    analyze analysis check see view discover explore learn understand work working manage custom personalized online
    free easy easily quick quickly popular amazing important experience issue problem purpose process step steps
    example examples topic topics text effective effectively efficient efficiently highest lowest minimum maximum
    additional upcoming recent previous individual individuals aspect aspects factor factors strategy strategies
    technique techniques method methods feature features quality level levels range amount size area region period
    impact effect effects benefit benefits role goal goals interests opportunity opportunities idea ideas style
    theme elements value life love week month season morning night weekend favorite preferably exact precise total
    entire complete accurate overall suitable reliable professional unique beautiful simple modern basic advanced
    real general main common different multiple several improve increase enhance ensure offer offers choose select
    prefer require required must consider share visual appealing`),
);
