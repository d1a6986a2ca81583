/**
 * Rules that derive sub-queries from a task's verbs, file types, URLs and subjects, in the words of tool descriptions. One rule per line:
 * `when && and !! unless => sub-query; sub-query`, the most important sub-query first. Conditions are regular expressions on the lower-case
 * task. A rule with `~>` is a fallback: it applies if fewer than two others match. Rules are general knowledge: do not add names of one
 * catalogue.
 */
export const INTENT_RULES = String.raw`
# Kinds of files
{excel} && {reads} => read data from excel sheet
{excel} && {strongly-writes} => write values to excel sheet
{word} && {writes} => create word document; add paragraph to word document; add heading to document
{word} && {reads} !! {writes} => get text of word document
{word} && \b(picture|image|photo|chart|logo)\b => add picture to document
{word} && \b(replac|chang|modif|correct|edit|renam) => search and replace text in document
{word} && \b(password|protect|encrypt|lock) => protect document with password
{word}.*\bpdf\b => convert word document to pdf
{slides} && {writes} => create presentation; save presentation file; add slide
{slides} && {reads} !! {writes} => open presentation; get slide info
{slides} && \b(chart|image|picture|table|bullet|theme|design|template|beautiful|professional) => apply professional slide design; add table chart or image to slide
\b(sav\w*|export\w*|writ\w*|generat\w*|creat\w*|convert\w*|turn\w*|produc\w*|mak(e|ing))\b.*\bpdf\b => convert document to pdf; create document; add paragraph
\.pdf\b && {reads} !! \b(sav\w*|export\w*|writ\w*|generat\w*|creat\w*|produc\w*)\b.*\.pdf\b => read pdf document text
\b(merg(e|ing)|combin(e|ing)|join|concatenate)\b.*\bpdfs?\b => merge pdf files
\b(split|separat)\w*\b.*\bpdf\b => split pdf pages
\.(csv|tsv)\b && {reads} => document reader read csv file
{text-file} && {strongly-writes}|\breport\b|\b(summari[sz]e|digest|collect|describe|list|plan|code|compare)\b.*\b(in|to|into|at)\s+(~|/)\S+\.\w+ => write file contents
{text-file} && \b(read|open|load|view|get|lines?|look|check|contents?|find|analy[sz]e|summari[sz]e|review|explain|count|correct|valid)\b !! {strongly-writes}|\breport\b => read text file contents
\b(from|of|under|inside|read|open|load|(text|data|numbers|words|code|file) (in|at))\s+\S*{text-file} => read text file contents
{text-file} && \b(edit|replace|chang(e|ing)|modif(y|ies)|updat(e|ing)|fix|append|insert|rename)\b => edit text file contents
\blines? \d+|\b\d+(st|nd|rd|th) line|\bvery large file|\b(last|first) \d+ lines => get text file contents by line range
\.(png|jpe?g|gif|webp|bmp|tiff?)\b && \b(read|describ|look|see|what|analy[sz]|extract|recogni[sz]|identif|content|show) => extract image from file
\b(metadata|exif|keywords|tags?)\b && \b(image|photo|picture|png|jpe?g)s?\b => write image metadata
\bsvg\b|\bvector (graphic|image) => svg image; convert svg to png
{audio} => load audio file
{audio} && \b(tempo|bpm|duration|length|long|beat|rhythm|key|chroma|spectr) => audio tempo; audio duration; beat tracking
\b(convert|turn|transform|chang)\w*\b.*\b(json|yaml|xml|csv|html|markdown|docx|pdf)\b => convert document format
\bhtml\b && \b(clean|extract|text|markdown|convert|format|resources|images|links)\b => html to text or markdown; extract resources from html
\b(differences?|diff|compare|changed)\b.*\b(files?|texts?|versions?|documents?)\b|\.txt\b.*\.txt\b => compare two texts diff

# Files and folders
\b(folder|directory|directories)\b|(^|\s)/[\w/-]+(\s|$) && \b(list|what|which|show|tree|structure|organi[sz]e|files in|contents of|clean)\b => list directory contents
\b(sub)?(folder|directory|directorie)s?\b && \b(creat|mak|new|organi[sz]e|classif|sort) => create directory; move file; list directory contents
\b(find|search|locate|look for)\b.*\bfiles?\b => search files by name pattern
\b(mov(e|ing)|renam(e|ing)|organi[sz]e|sort)\b.*\bfiles?\b|\bmove\b.*/ => move or rename file
\b(all|each|every|several|multiple|both|these|many)\b.*\bfiles\b|\bfiles\b.*\b(all|each|every)\b => read multiple files; list directory contents
\b(code|function|class|variable|string)s?\b && \b(search|find|grep|where|occurrence|codebase)\b => search code in files
\b(unzip|zip|compress|extract archive|tar|install|pip|wget|curl)\b => start process run command
\b(run|execute)\b.*\b(command|script|code|program|process|terminal|shell)\b|\b(terminal|command line|shell)\b => start process run command in terminal
\b(python|node|bash|javascript)\b.*\b(script|program|code)\b|\b(script|program|code)\b.*\b(python|node|bash|javascript)\b => write file contents; start process run script
\b(processes?|cpu|memory usage|kill|pid)\b && \b(running|kill|stop|terminat|list|usage|system|computer)\b => list processes; kill process

# Addresses and the web
youtu(\.be|be\.com)|\byoutube\b|\bted talk\b => get youtube video transcript
\b(youtube|video)\b && \b(download|audio|music|song)\b => download from youtube
https?://(?!(www\.)?(youtube\.com|youtu\.be)) !! \b(fill|click|submit|screenshot|log ?in|sign (in|up))\b => fetch web page content from url
https?://|\bwww\.|\bweb ?(site|page)\b && \b(text|content|article|summari[sz]e|read|extract|scrape|crawl|main points) => get visible text of web page; fetch url as markdown
https?://|\bwww\.|\bweb ?(site|page)\b && \b(pdf|print)\b => save page as pdf
https?://\S+\.(png|jpe?g|gif|webp)\b|\bimage (url|link)\b => extract image from url
\b(website|web ?page|browser|site|https?://\S+|\w+\.com)\b && \b(screenshot|screen ?shot|log ?in|automat|navigate|browse|visit|open|submit|fill) => navigate browser to url; take screenshot of page
\b(log ?in|sign ?in|sign ?up|fill (in|out)?|submit|click|button|scroll|drop-?down|select)\b && \b(website|page|site|browser|https?|online|form)\b => click element on page; fill input field; navigate to url
{domain} && \b(domain|whois|owner|own|regist|official|legit|phish|real|fake|safe|trust|scam|reconnaissance|expire) => whois domain lookup
\b(ip|ip address|asn|tld|dns)\b => whois ip address lookup
{domain}|\bwebsite\b && \b(sitemap|structure|pages|architecture|hierarchy|map of|seo)\b => get sitemap of website
\b(api|endpoint|request)\b && \b(get|post|put|delete|test|call|status|response|json)\b => http request to api; fetch json

# Knowledge
\barxiv\b|\b(papers?|preprints?|literature|academic|scholar|publications?|research (articles?|area|field|paper))\b => search papers; get paper data abstract; download and read paper
\bwiki(pedia)?\b => search wikipedia; get wikipedia article
\b(painting|sculpture|artwork|art piece|museum|portrait|painter|sculptor|masterpiece|van gogh|monet|picasso|rembrandt|vermeer|renaissance|impressionis[mt])s?\b => search museum objects; get museum object details
\bclinical trials?\b|\bnct\d{4,}|\b(study|studies|trials?) (for|of|with|on) (people|patients|adults|children)\b => clinical trial details; search clinical trials; clinical trial references
\b(gene|genomic|mutation|variant|brca[12]|tp53|egfr|braf|kras|rs\d{4,})s?\b => search genetic variant; get variant details; search biomedical articles
\b(disease|cancer|syndrome|therapy|treatment|drug|vaccine|patients?|protein|pubmed|biomedical|alzheimer|diabetes|asthma|parkinson|leuk(a)?emia|melanoma|hiv|covid(-19)?|epilepsy|stroke)\b && \b(trial|recruit|study|studies|research|evidence|latest|paper|article|literature|search|find) => search biomedical articles; search clinical trials
\bdata ?sets?\b|\b(government|open|public|census|statistics) data\b|\bdata\.gov\b => search datasets; show dataset details


# News and what is popular
\bnews\b|\bheadlines?\b !! \bhacker ?news\b => latest news
\bhacker ?news\b|\bhn\b => hacker news stories; hacker news story with comments
\bhacker ?news\b|\bhn\b && \b(users?|authors?|who|submi\w+|profile)\b => hacker news user submissions
\b(hot|trending|trends?|hottest|popular|talking about)\b && \b(topic|search|list|on|today|current|now|rank|chinese|china|media|platform) => trending topics hot search; ranking list
\bgithub\b|\brepositor(y|ies)\b && \b(trend|popular|hot|star) => github trending repositories
\b(tech|technology|ai|gadget|apple|iphone|software|startup|silicon valley|android)\b && \b(news|headline|latest|happening|update) => technology news; startup business news
\b(world|international|global|foreign|breaking|uk|british|us|american|europe|politic\w*|econom\w*|negative|recent)\b && \b(news|headlines?|happening|situation)\b => world news
\b(movies?|films?|tv (shows?|series)|drama|cinema)\b && \b(recommend|popular|rank|top|best|hot|watch|rating|new|list) => movie ranking
\b(books?|novels?|reading list)\b && \b(recommend|popular|rank|top|best|hot|bestsell\w*|list) => book ranking
\b(videos?|clips?)\b && \b(popular|trend\w*|hot|top|rank\w*|viral)\b => trending videos ranking
\b(video ?games?|gaming|gamers?)\b && \b(news|popular|new|release|trend|article) => game news
\b(deals?|discounts?|bargains?|promotions?|worth buying|shopping)\b && \b(popular|trend|rank|best|hot|today|list|recommend|cheap|good) => shopping deals ranking
\b(developers?|programm(er|ing)|front-?end|back-?end|engineering)\b && \b(article|blog|popular|trend|news|community|read|hot) => developer articles ranking

# Places and ways
\b(near|nearby|nearest|closest|around (the|my|here|this|there)|close to|within \w+ ?(km|m|miles?|met(er|re)s?|kilomet))|\b(interesting|things) to (do|see)\b => find nearby places; geocode address to coordinates
\b(trip|itinerary|travel|sightseeing|vacation|holiday|tour|visit|weekend in)\b && \b(plan|arrange|organi[sz]e|itinerary|schedule|days?|route|guide|recommend|where|best)\b => find nearby places attractions; get route directions; geocode address
\b(route|directions?|how (do|can) i get|drive|driving|walk|on foot|commute|distance|(fastest|shortest|best|on the) way)\b.*\b(from|to|between)\b => get route directions; geocode address
\b(restaurants?|cafes?|café|hospitals?|pharmac(y|ies)|supermarkets?|atms?|gyms?|parks?|attractions?|landmarks?|sights?) && \b(in|at|of|near|around|find|best|visit)\b => find nearby places by category; geocode address
\b(coordinates?|latitude|longitude|gps)\b|-?\d{1,3}\.\d{3,},? *-?\d{1,3}\.\d{3,} => geocode address to coordinates; reverse geocode coordinates to address
\b(move|moving|relocat\w*|live in|living|neighbou?rhood)\b && \b(area|neighbou?rhood|district|city|school|safe|convenient|livab\w*|near) => analyze neighborhood; explore area
\b(commut\w*|to work|office)\b && \b(home|time|transport|drive|bike|walk|train|minutes|between)\b => analyze commute
\b(meet|meeting point|gather|halfway|midpoint)\b && \b(where|friends|locations?|everyone|city)\b => suggest meeting point
\b(parking|park my car|to park|car park)\b => find parking facilities
\b(electric (car|vehicle)|ev|charging)\b => find ev charging stations
\bschools?\b && \b(near|around|within|area|kids?|child|children)\b => find schools nearby
\b(train|rail|railway|high-speed|bullet train)s?\b && \b(from|to|ticket|timetable|trip|schedule|travel|fare|seat)\b => search train tickets; get station code of city; get current date
\b(transfer|connection|no direct|interline)\b && \b(train|ticket|rail|flight)s?\b => interline transfer tickets
\b(hotel|accommodation|airbnb|homestay|hostel|place (to stay|in)|stay|lodging|b&b|(holiday|vacation) rental)s?\b|\b(flat|apartment)s?\b.*\b(night|guest|stay)|\b(night|weekend|trip)\b.*\b(flat|apartment)s?\b && \b(find|search|book|recommend|night|guest|trip|look|cheap|budget|price|reserve|check-?in|adults|nice|weekend) => search accommodation listings; accommodation listing details
\b(mark|pin|plot)\b.*\b(map|locations?|cities|places)\b => generate pin map
\b(route|journey|path|trajectory|itinerary)\b && \b(map|draw|visuali[sz]|plot) => generate path map
\b(provinces?|states?|regions?|districts?|countr(y|ies))\b && \b(heat ?map|colou?r|map of|distribution map) => generate district map

# Time and numbers
\b(tomorrow|tonight|day after|this (week|weekend|month|afternoon)|next (week|weekend|month|\w+day))\b && \b(ticket|train|flight|trip|book|arrange|schedule|appointment|from|plan) => get current date
\b(what time|time ?zone|local time|time in|time difference|o'?clock|convert .*time|current time|\d ?[ap]\.?m\.?)\b => convert time between timezones; get current time in timezone
\b(calculat\w*|comput\w*|how much is|sum of|average|percent\w*|bmi|total (cost|price|amount)|multipl\w*|divid\w*|square root|equation|interest|growth rate|ratio)\b|\d\s*[-+*/^×÷]\s*\d => calculate mathematical expression
\b(random(ly)?|raffle|lottery|lucky|draw lots|shuffle|dice|pick (a|one)|winner|coin flip|flip(ping)? a coin|heads or tails|toss)\b => random choice from list; random sample; random integer
\bpasswords?\b|\b(secure|random|api) (token|key|hex)\b && \b(generat|creat|random|strong|secure) => secure random token
\b(convert|exchange|worth|how much)\b.*\b(usd|eur|gbp|cny|rmb|jpy|nok|dollars?|euros?|pounds?|yen|yuan|kron[ae]r?|currency|currencies)\b|\bexchange rates?\b => currency exchange rate

# Charts and pictures
\bmind ?maps?\b => convert markdown to mindmap; generate mind map
\bbar[- ](chart|graph|plot)s?\b => generate bar chart
\bcolumn[- ](chart|graph|plot)s?\b => generate column chart
\bpie[- ](chart|graph)s?\b|\b(share|proportion|percentage|composition|breakdown)\b.*\b(chart|visual|graph) => generate pie chart
\b(line[- ](chart|graph|plot)|trend (chart|line)|curve)\b|\b(over (time|the (past|last))|monthly|yearly|annual|growth|development|evolution|since|time series)\b.*\b(chart|plot|graph|visual) => generate line chart
\bflow ?(chart|diagram)s?\b|\bprocess diagram\b => generate flow diagram
\b(sequence|class|state|er) diagram\b|\b(uml|gantt|mermaid)\b => validate and render mermaid diagram
\bword ?cloud\b => generate word cloud chart
\b(correlation|scatter)\b => generate scatter chart
\b(histogram|distribution of)\b => generate histogram chart; generate boxplot chart
\bradar\b|\b(abilit(y|ies)|skills?|capabilit(y|ies)|dimensions?)\b.*\b(chart|visual|compar) => generate radar chart
\bfunnel\b|\bconversion\b.*\b(chart|stage|visual) => generate funnel chart
\borg(ani[sz]ation(al)?)? (chart|structure)\b|\breporting (line|structure)\b => generate organization chart
\b(treemap|hierarch(y|ical))\b => generate treemap chart
\b(fishbone|ishikawa|root cause)\b => generate fishbone diagram
\b(relationships?|connections?|network)\b.*\b(graph|diagram|visual|chart)\b => generate network graph
\b(venn|overlap)\b => generate venn chart
\bsankey\b => generate sankey chart
\b(chart|graph|plot|visuali[sz]e|visuali[sz]ation|diagram)s?\b => generate chart from data
\b(draw|paint|sketch|doodle)\b !! \b(chart|graph|diagram|conclusion|map)\b => create drawing canvas; draw shape on canvas; get canvas image
\bicons?\b => search icons

# Money
{stock} && \b(price|now|current|today|quote|trading at|worth)\b => get current stock price; ticker information
{company} && \b(shares?|invest\w*|buy|sell|performance|valuation|analysts?|earnings|quarterly|price)\b => get historical stock prices; stock news; analyst recommendations
{stock} && \b(past|last|history|historical|years?|months?|trend|performance|since|analy[sz]e|analysis|chart|over)\b => get historical stock prices; stock news; analyst recommendations
{stock}|{company}|\b(company|companies|earnings|revenue|financials?)\b && \b(financial|quarterly|income|balance|cash ?flow|earnings|revenue|profit|statement|fundamental) => financial statements income cash flow; earnings history
\bdividends?\b => stock dividends
\b(options? (chain|contracts?|trading)|strike price|implied volatility|puts? and calls?)\b => options chain strike expiration
\b(insiders?|executives?|institutions?|institutional|shareholders?|holders?)\b && \b(stocks?|shares?|buy|bought|sell|sold|hold|trad) => insider trades; institutional holders
\b(analysts?|target price|upgrade|downgrade|buy or sell|should i (buy|invest|sell))\b && \b(stocks?|shares?|ticker|invest|company)\b => analyst recommendations; ticker information; stock news
\bfear\b.*\bgreed\b|\b(market sentiment|(mood|sentiment) of the market)\b => fear greed index
\bkorean?\b|\b(kospi|kosdaq|samsung|hyundai|kakao|naver)\b && {stock}|\b(price|market)\b => korean market stock ohlcv; load all tickers
\bsector\b|\b(top|best|largest|leading)\b.*\b(etfs?|mutual funds?|companies)\b => top companies and funds of sector
{crypto} && \b(price|worth|market|value|now|current|today|how much) => get crypto price; crypto market analysis
{crypto} && \b(past|last|histor\w*|trend|week|month|year)\b => historical crypto price analysis
{crypto} && \b(report|research|deep|in-depth|analysis|analy[sz]e|investigat) => research crypto token
\b(gold|silver|oil|asset|precious metals?)\b && \b(price|worth|cost|quote) => get asset price

# Programs
\bnpm\b|\bbundle size\b|\b(node\.?js|javascript|react|vue|typescript)\b.*\b(package|librar|dependenc|module) => npm package dependencies; compare npm packages; npm package size
\b(package|librar\w+|dependenc\w+|module)s?\b && \b(vulnerabilit|security|cve) => package vulnerabilities
\b(choos\w+|decid\w+|compar\w+|better)\b && \b(librar(y|ies)|packages?|frameworks?|lodash|react|vue|angular|svelte|axios|webpack|vite)\b => compare npm packages; package size
\b(package|librar\w+|dependenc\w+|module)s?\b && \b(alternative|replace|instead) => package alternatives
\b(package|librar\w+|dependenc\w+|module)s?\b && \b(license|licence) => license compatibility of packages
\b(package|librar\w+|dependenc\w+|module|framework)s?\b && \b(downloads?|popularity|maintain\w*|deprecated|changelog|release notes|versions?)\b => package download trends; package latest version; package maintenance
\b(maven|gradle|spring[- ](boot|core)|pom\.xml|jackson|junit)\b => maven dependency latest release version
\b(librar(y|ies)|framework|sdk|api|\w+\.js|documentation|docs)\b && \b(docs?|documentation|how (to|do i) use|examples?|usage|guide|tutorial|latest version)\b => get library documentation; resolve library id
\bgit\b|\b(repo|repository)\b && \b(commit|branch|diff|staged|log|history|status|checkout|merge|changed)\b => git status; git commit changes; git diff
\bcommit\b && \b(everything|all|files|changes|message)\b => git add files; git commit
\b(initiali[sz]e|create|new)\b.*\b(git|repo|repository)\b|\bgit init\b => git init repository
github\.com/|\b(repo|repository|project|codebase|open[- ]source)\b && \b(github|understand|architecture|explain|how .* works?|how is it built|overview|wiki|documentation)\b => fetch repository documentation
\b(docker|containers?)\b && \b(run|start|deploy|create|logs?|list|stop|image|launch)\b => create docker container; list containers; get container logs
\bcompose\b|\b(deploy|set ?up|launch)\b.*\b(services?|stack|database|mysql|redis|postgres|wordpress)\b => deploy compose stack
\b(leetcode|(coding|programming|algorithm) (problem|challenge|interview|contest)s?)\b => get coding problem; daily challenge; search problems
\b(ui|components?|buttons?|forms?|modal|dialog|date picker|landing page|front-?end|web app|dashboard|login page)\b && \b(react|shadcn|ant design|antd|components?|tailwind|animat\w*|design|build|creat\w*|implement)\b => get ui component documentation; component examples; list components
\b(step[- ]by[- ]step|think (through|carefully|deeply)|complex problem|logic(al)? (puzzle|problem)|brain ?teaser)\b => sequential thinking problem solving

# Keeping
\b(remember|memori[sz]e|knowledge graph|keep in mind|don'?t forget|recall|in(to)? (your |the )?memory)\b => create entities in memory; add observations to memory; search memory
\b(relationships?|relations?|entities|family tree|sister|brother|colleague|friend)\b && \b(store|save|remember|record|memor) => create relations
\b(what do you (know|remember)|did i (tell|mention)|my (preferences|profile))\b => search memory nodes; read memory graph
\b(notes?|note down|jot|knowledge base)\b => write note; search notes
\b(to-?dos?|task list|tasks|break (it |this )?down|plan (out|the work)|keep track of)\b => plan tasks; list tasks

# Life
\b(weather|temperature|rain(y|ing)?|snow|forecast|umbrella|what to wear|humid(ity)?|sunny)\b => get weather by city
\b(recipe|cook|cooking|dish(es)?|meal|ingredients?|what to eat|dinner|lunch|breakfast|menu|vegetarian)s?\b => recommend meals; recipes by category; get recipe details
\b(bazi|horoscope|fortune|birth chart|zodiac|destiny|feng ?shui)\b|\bborn (on|at|in)\b => fortune by birth date and time
\b(lunar|chinese calendar|almanac|solar term|auspicious|lucky day)\b => chinese calendar
\b(chess|checkmate|e4|d4|fen|pgn)\b => new chess game; make chess move; chess board visualization
\b(league of legends|lol)\b => lol champion analysis; lol champion statistics
\bvalorant\b => valorant agents statistics; valorant maps and meta
\b(teamfight tactics|tft)\b => tft meta decks; tft champion items
\b(summoner|my (account|rank|matches)|match history)\b && \b(lol|league|summoner|game|valorant|play|champion)\b => summoner search; game match history
\b(esports?|tournament|lck|lpl|worlds|lec)\b|\bplay next\b => esports schedules; esports team standings
\b(yu-?gi-?oh|trading card|card game|monster card|spell card|dragon card)s?\b => search cards; get card details; card image
\b(characters?|hero(es)?|dps|healer|gacha|main|build)\b && \b(team|echo|set|gear|dps|healer|gacha|pulled|rotation|weapon)\b => game character information; artifact set information

# Where hardly any other rule holds
\b(search (the )?(web|internet|online)|look up|google|bing|find out)\b ~> web search
\b(latest|recent|newest|up-to-date|this (week|month|year)|nowadays|202\d)\b && \b(information|development|update|event|search|find|policy|law|review) !! \b(papers?|news|stocks?|shares?|prices?|versions?|trials?)\b ~> web search
\b(who (is|was|are|were|invented|founded|wrote|discovered)|what (was|were) (a|an|the)|history of|introduc\w+ (to|of)|tell me about|background (of|on|information)|biography|overview of|origin of|information (about|on))\b ~> search wikipedia; get wikipedia summary
\b(learn|know|understand|read) (more )?about\b|\b(advance(ment)?s?|breakthroughs?) in\b ~> search academic papers; learning courses; search the web for information
`;

/** Named expressions that the rules use. */
export const INTENT_WORDS: Readonly<Record<string, string>> = {
  excel: String.raw`(\.(xlsx?|xlsm|ods)\b|\b(excel|spreadsheet|worksheet)\b)`,
  word: String.raw`(\.docx?\b|\bword (document|file|report)\b)`,
  slides: String.raw`(\.pptx?\b|\b(ppt|powerpoint|slide ?deck|slides|presentation)\b)`,
  audio: String.raw`(\.(wav|mp3|flac|ogg|m4a|aac)\b|\baudio file\b)`,
  'text-file': String.raw`\.(md|markdown|txt|json|ya?ml|html?|css|jsx?|tsx?|vue|py|rb|php|c|cpp|java|go|rs|sh|sql|xml|toml|ini|log|csv)\b`,
  domain: String.raw`(?<![\w/@.])(www\.)?[a-z0-9-]+\.(com|org|net|io|cn|dev|gov|edu|co|ai|info)\b`,
  stock: String.raw`\b(stocks?|shares?|ticker|nasdaq|nyse|s&p|equit(y|ies))\b`,
  company: String.raw`\b(apple|microsoft|google|alphabet|amazon|meta|tesla|nvidia|netflix|intel|amd|ibm|oracle|samsung|toyota|alibaba|tencent|byd|nio|coca-cola|disney|boeing|nike)\b`,
  crypto: String.raw`\b(bitcoin|btc|ethereum|eth|crypto(currency|currencies)?|solana|dogecoin|web3|defi|blockchain)\b`,
  reads: String.raw`\b(read|open|load|look at|check|analy[sz]e|extract|find|get|parse|summari[sz]e|tell me|according to|count|list|view|from|in|under|based on|translate|compare|give me the text)\b`,
  writes: String.raw`\b(sav(e|ed|ing)|writ(e|ing)|stor(e|ing)|export|output|creat(e|ing)|generat(e|ing)|mak(e|ing)|produc(e|ing)|build|draft|compil(e|ing)|summari[sz]e it|put|record|report|convert|turn|fill|add|insert)\b`,
  'strongly-writes': String.raw`\b(sav(e|ed|ing)|writ(e|ing|ten)|stor(e|ed|ing)|export|output|creat(e|ing)|generat(e|ing)|mak(e|ing)|produc(e|ing)|put|record|fill|add|insert|compil(e|ing)|convert|turn)\b`,
};
