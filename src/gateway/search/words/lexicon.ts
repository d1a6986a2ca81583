/** Synonyms in searches for tools, one group per line. */
export const SAME = `
movie film cinema
picture image photo
car vehicle automobile
job position career employment vacancy
hotel accommodation lodging
trip travel journey vacation holiday getaway
doctor physician
house home property real_estate
apartment flat condo
buy purchase acquire
sell sale
cheap affordable budget discount inexpensive
price cost fee
picture drawing illustration
song music track tune
restaurant eatery diner bistro
recipe cooking cook
food meal dish cuisine
soccer football
website site web_site webpage web_page web
internet web online
email mail
text sms message
phone call telephone
paper article publication study
news headline
company business firm corporation enterprise
organization organisation
customer client
product item goods
stock share equity
cryptocurrency crypto
currency money
weather forecast
translate translation translator
language tongue
summary summarize summarise abstract digest overview
rewrite rephrase paraphrase reword polish
write compose draft
create generate make build produce
show display
delete remove erase
change modify edit update alter
search find look seek locate discover
get fetch retrieve obtain
compare comparison versus
calculate compute calculator calculation
math mathematics arithmetic mathematical
convert transform
schedule calendar
remind reminder
todo to_do task
chart graph plot diagram
game gaming
law legal legislation
rent rental lease renting
law regulation statute
gift present
book novel
kid child children toddler
test quiz exam
learn study learning
course class lesson
resume cv
speech voice spoken
audio sound
video clip footage
podcast episode
picture gif
meme memes
domain url
code source programming
repository repo github
database sql
server host
deploy launch
picture art
horoscope astrology zodiac
diet nutrition calorie
workout exercise fitness gym
map navigation
route direction path way
ticket event concert
charity nonprofit donation donate
earthquake seismic
space astronomy
flower plant
house housing
advertisement ad ads advert advertising
competitor rival
keyword keywords
performance speed
security vulnerability
document doc
file document
folder directory
picture icon
player athlete
match fixture
rank ranking leaderboard
trend trending popular
note notes
memory remember
quote price
password credential
`;

/** What a word of a task implies about the tool: `word word > term term`. */
export const IMPLIES = `
sunny rain rainy raining snow snowy storm umbrella humidity temperature degrees celsius fahrenheit hot cold windy climate_today > weather forecast
air_quality pollution smog aqi pollen > air quality
surf surfing wave waves swell > surf
hurricane tornado flood tsunami quake magnitude tremor > earthquake weather news
actor actress director netflix hulu streaming sitcom episode season series show watch tv television documentary thriller comedy hollywood blockbuster > movie show stream tv entertainment
anime cartoon > show movie entertainment
theater theatre musical play_tickets > show broadway ticket theater
concert festival gig stadium seat seats > ticket event concert music
band singer album lyrics playlist melody hip_hop jazz rock rap spotify genre artist > music song playlist
guitar chord chords piano instrument > chord music
notation score_sheet midi wav mp3 > audio music
novel author fiction bestseller literature chapter reader library protagonist > book
bedtime fairy tale tales storybook > story book child
story tale > story
poem poetry essay lyrics > write text
blog blogger wordpress post_article publish > post blog website article content
newsletter newsletters subscribe > newsletter substack email
headline breaking journalist current_events world_events politics_news > news
president election parliament minister senator congress vote policy government politician mp > politics political government congress
bill legislation lobbying > legislation law congress
law lawyer attorney illegal court rights sue lawsuit legal regulation regulations contract statute restriction restrictions firearm > law legal
tax taxes vat irs > tax calculator
loan loans mortgage debt credit credit_card interest payoff repay repayment installment installments emi > loan credit repayment financial calculator payoff
invest investing investor portfolio dividend bond etf fund funds broker hedge wealth retirement savings asset allocation > invest portfolio finance financial stock
stock stocks shares ticker nasdaq nyse dow market market_cap earnings ipo valuation bull bear > stock finance financial market
bitcoin ethereum btc eth litecoin dogecoin nft nfts blockchain token defi wallet solana > cryptocurrency crypto finance
revenue profit balance_sheet income cash_flow financials fiscal shareholder > financial company finance
exchange_rate forex usd eur gbp jpy dollar dollars euro euros yen rupee rupees peso yuan pound pounds cad aud > currency exchange convert conversion
startup funding venture capital raised grant grants funded subsidy > funding company investment
ceo founder headquarters employee employees competitor_company subsidiaries > company information
brand logo > brand logo
salary interview hiring hire recruiter internship intern vacancy employer workforce position positions job_opening career developer_job freelance > job career hire
resume cv cover_letter > resume job
freelancer freelancers contractor engineer talent programmer > hire freelance talent
recruit outreach candidate > job outreach hire email
agency agencies > agency marketing
marketing campaign promote promotion audience advertise advertising branding conversion > marketing ad advertising
ad ads adwords ppc google_ads facebook_ads > ad ads advertising ppc
seo serp backlink backlinks rank_higher search_engine_optimization organic_traffic > seo keyword website analysis
leads lead prospect prospects sales pipeline crm salesperson b2b meeting > sales customer company prospect
traffic visitor visitors analytics > traffic website visitor
instagram facebook twitter tiktok hashtag hashtags influencer tweet tweets follower followers post viral > social media twitter hashtag
youtube vlog vlogger channel subscriber > youtube video
lecture talk webinar > video course
subtitle subtitles caption transcript transcribe > transcript video audio
photo photograph snapshot selfie camera_roll picture > image photo
crop resize blur filter retouch photoshop brightness saturation watermark > edit image photo filter resize crop
what_is_in_this_picture caption_image describe_image > image
handwriting handwritten scanned scan ocr > ocr text extract scan
wallpaper stock_photo unsplash illustration > image
midjourney dalle stable_diffusion prompt > prompt image generate
design poster banner flyer mockup graphic visual template > design visual template create
animation animated avatar > video animation generate
slide slides powerpoint presentation deck > presentation
pdf ebook > pdf document
spreadsheet excel csv xlsx > sheet excel data
word_cloud > word cloud
ascii font banner_text > ascii font text
qr qr_code barcode > qr code
3d model_3d mesh render vr ar unity > 3d asset model
t_shirt shirt hoodie apparel clothes clothing outfit wear dress shoes jacket fashion wardrobe stylish jeans sneakers > fashion style clothing apparel product shop
makeup lipstick skincare cosmetics perfume beauty mascara foundation moisturizer > beauty cosmetics shop product
laptop phone smartphone headphones camera tv monitor tablet earbuds gadget appliance washing_machine coffee_machine vacuum mattress furniture sofa chair desk electronics smartwatch watch_brand backpack blender printer > product shopping
shop shopping store amazon ebay order checkout cart purchase buy > shop shopping product buy
coupon coupons promo deal deals sale bargain voucher savings discount > discount coupon deal
review reviews rating ratings pros cons opinions feedback > review product
compare comparison better_option difference_between versus > compare comparison
recommend recommendation suggest suggestion suggestions advice > recommend recommendation suggestion
birthday anniversary wedding valentine christmas mother father_day fathers_day surprise wife husband girlfriend boyfriend dad mom > gift
restaurant dinner lunch brunch cafe dining dine reservation table sushi pizza bar pub steakhouse > restaurant food book local
reserve reservation book_a_table booking > book reservation booking
near nearby closest nearest around_me neighborhood > near local location find
hungry eat vegan vegetarian gluten dessert cake soup pasta chicken beef salad bake baking grill ingredient ingredients dough lasagna > recipe food meal cooking
calorie calories protein carbs weight lose_weight macros nutrient nutritional healthy_eating keto > diet calorie nutrition food
grocery groceries supermarket > grocery food shop
sake wine beer whiskey cocktail drink drinks beverage > drink sake wine
workout muscle cardio yoga pushups squat strength training gym running jog bodybuilding > workout exercise fitness plan
habit habits routine productivity discipline motivation consistent > habit daily
meditate meditation mindfulness sleep stress anxiety therapy mental_health > health habit
covid flu vaccine symptoms symptom virus infection outbreak > health covid risk
doctor patient hospital disease diagnosis treatment cancer diabetes medicine medication drug > health medical clinical
clinical_trial trial trials eligibility nct biomarker > clinical trial
flight flights airline airlines plane airport airfare > flight travel trip
pilot metar taf notam aviation runway > aviation flight pilot
hotel hotels resort airbnb hostel stay night bed_and_breakfast inn > hotel accommodation trip travel
tourist tourism sightseeing attraction attractions landmark landmarks itinerary visit explore backpacking beach island cruise tour tours > travel trip attraction tourism
visa passport > travel
train subway metro bus station commute rail railway transit > train station route transport
drive driving road highway traffic_jam > road route map
parking park_my_car carpark garage > park parking car
charging charger ev tesla electric_vehicle supercharger bolt > charging station supercharger vehicle ev
gas petrol fuel gasoline diesel > petrol fuel price
dealer dealership used_car suv sedan toyota honda ford bmw > car dealer
movers shipping transport_pet pet pets dog cat puppy horse > animal pet transport
where_is map address latitude longitude gps location directions coordinates > map location direction
apartment flat bedroom landlord tenant lease rent rental studio roommate > rent house renting
mortgage realtor villa condo real_estate for_sale bedroom property properties homes > house property purchase real estate
theme_park disneyland disney roller_coaster universal_studios rides queue waiting > theme park waiting time
speed_camera speeding roadwork > speed camera
nasa mars rover planet galaxy telescope astronaut astronauts iss orbit moon star stars satellite astronomy rocket cosmos universe > space nasa
museum painting sculpture gallery exhibit artwork artist impressionist monet picasso > art museum
census population demographic demographics household income_median > census data
dataset datasets statistics open_data > data dataset
sql query_database table_rows database > sql database query
python script notebook jupyter pandas > python notebook code
github repository open_source commit pull_request contributor contributors > github repository project
javascript webhook api_endpoint http endpoint > webhook http javascript
aws azure gcp cloud ec2 kubernetes docker linux ssh terminal command_line vps > server ssh cloud command
deploy hosting landing_page web_app html css > deploy website web app
mobile_app android ios app_idea iphone_app > app android ios build
no_code builder > build create app
algorithm coding programming developer programmer debug software bug function code coder > code programming developer
scratch block_coding > scratch program
hacked breach leaked phishing malware scam exposed compromised > breach security hack credential
vulnerability penetration scanner threat threats xss injection firewall > security scan scanner threat vulnerability
ddos outage internet_traffic > internet traffic
domain domains register_domain whois dns hosting_name availability > domain url register
page_speed accessibility lighthouse pwa load_time core_web_vitals > website performance metrics accessibility
archive snapshot wayback old_version looked_like > archive website date picture
browse browsing url link webpage click_link html > web page url content browse
scrape scraping crawl crawler extract_data > scrape extract web page
google bing search_engine look_up web_search search_online > search web internet
wikipedia encyclopedia fact facts factual trivia knowledge > knowledge information fact
scholar scholarly academic journal thesis peer_reviewed citation citations literature_review scientific scientist research researcher dissertation > paper research academic
mind_map brainstorm ideas > mind map idea
translate spanish french german japanese chinese korean italian portuguese arabic russian hindi mandarin danish dutch swedish pronounce pronunciation phrase > translate language
vocabulary grammar fluent fluency conversational ielts toefl speaking_test > language learn tutor
ielts toefl > ielts speaking exam
tutor tutoring homework teacher teach lesson curriculum syllabus university college degree certification coursera udemy bootcamp skill skills > course learning education
flashcard flashcards memorize spaced_repetition exam revise > flashcard review memory study
kid kids child children toddler preschool kindergarten > child kid educational
personality introvert extrovert infj intj > mbti personality test
tarot fortune psychic > tarot card
horoscope horoscopes zodiac aries taurus gemini leo virgo libra scorpio sagittarius capricorn aquarius pisces astrology astrological natal astrologer > horoscope astrology
bible quran prophet islamic islam muslim hadith prayer > hadith
decision decide dilemma choice > decision
perspective perspectives viewpoint viewpoints ethics ethical philosophy > perspective opinion insight
prompt chatgpt better_prompt refine > prompt
grammar proofread tone wording sentence paragraph rewrite human_like plagiarism > rewrite text content writing
writer writers copywriter ghostwriter editor > writer writing content
copy slogan tagline headline_copy sales_page > copywriting sales
count_words word_count character_count letters > count word character
form survey questionnaire quiz poll feedback_form > form survey quiz
meeting zoom recording call_recording calls > call meeting
email inbox gmail outlook > email
remind reminder alarm deadline appointment due todo to_do_list > reminder schedule task note
text_message sms whatsapp > sms message
note notes jot journal notion evernote > note
project sprint kanban milestone roadmap jira trello agile > project management task
automate automation integrate integration workflow zap > app automation integrate
store_information save_information remember recall previous_conversation earlier mentioned last_time saved > memory store retrieve information
export save_chat conversation_history chat_history download_conversation > export conversation chat
erp inventory payroll > erp application
product_manager user_feedback product_development feature_request > product development
timezone clock current_time what_time date_today > time timezone
countdown timer stopwatch > time
percent percentage equation algebra calculus square_root multiply divide subtract sum plus minus add adding integral fraction solve > calculate calculator math
statistics average mean median probability > calculate data statistic
bar_chart pie_chart histogram line_graph scatter visualise visualize visualization flowchart > chart graph diagram
chess checkmate grandmaster opening_move > chess game
checkers tic_tac_toe sudoku crossword puzzle puzzles riddle riddles wordplay > puzzle game play
dice roll d20 dungeons dnd tabletop > dice roll game
magic_the_gathering mtg planeswalker deck cards battlefield > card game rule
league_of_legends champion lol riot > champion league game
fortnite minecraft playstation xbox nintendo steam rpg multiplayer console esports gamer video_game role_playing quest quests > game
apex_legends > apex map ranked
fantasy_football premier_league fpl > fpl team player football
nba nfl mlb nhl basketball baseball hockey lakers quarterback playoffs super_bowl > sport team game
soccer uefa fifa world_cup champions_league la_liga serie_a manchester goal goals striker > soccer football match result
score scores standings match_result league_table > result score standing match
odds bet betting > match odds
guess_word secret_word clue clues hint > guess word game
simulator simulation virtual_life > simulator game
time_travel historical_figure ancient medieval > history time
plant plants garden gardening succulent soil houseplant fertilizer > plant gardening
manual pump model_number > manual catalog
charity nonprofit ngo donate donation foundation volunteer > charity nonprofit
gif giphy reaction_gif sticker > gif
meme funny joke jokes > meme
text_to_speech narrate narration voiceover read_aloud tts > text audio convert speech
podcast podcasts episode host_podcast > podcast
clothing_today what_to_wear > fashion wear
insider insider_trading congressional > insider trading stock
television vacuum dishwasher refrigerator fridge microwave charger keyboard mouse bike bicycle toy toys wallet purse sunglasses jewelry necklace ring suitcase luggage tent helmet speaker console router drone stroller perfume > product shopping search
ripple xrp polkadot cardano aave staking stablecoin usdt altcoin coin lending_rate circulating_supply binance coinbase hash_rate > cryptocurrency crypto finance
gold silver commodity commodities bullion > finance price asset
option_flow option_prices options_trading volatility risk_adjusted > option stock finance
gdp inflation population unemployment literacy > data statistic economy census
neighborhoods neighbourhood neighborhood property_value real_estate townhouse > house property real estate
car_rental rent_a_car car_rentals rental_car > travel trip car
cabin chalet beachfront bungalow > accommodation travel hotel
landmark landmarks monument colosseum eiffel cathedral castle temple guided_tour guided_tours must_visit > travel attraction tourism trip
hike hiking trail trails camping campsite mountains > travel outdoor map
documentary synopsis watch_time > video summarize
sprite sprites projectile > scratch program game
victorian viking medieval middle_ages renaissance ancient era historical_period dynasty roman_empire > history time
court_case lawsuit plaintiff defendant supreme_court statute bylaw penal_code vehicle_code income_tax_law > law legal
board_members board_of_directors directors shareholders > company organization information
press_conference statement speech_by president > news politics speech
auto_reply out_of_office unread attachment > email
cpu utilization uptime disk_space > server command monitor
forward forwards striker goalkeeper shots_on_target transfer_window lineup > soccer football player team
fact_check reliable_source reliable_sources credible > search information web
enhance sharpen brighten eyesore background_removal > edit image photo
listen hear > audio speech
lawmakers lawmaker senators congressman congresswoman politicians > congress political government
assign delegate team_member milestone sprint > task project management
trello asana slack salesforce hubspot airtable google_sheets > app integrate automation
non_profit non_profits ngo philanthropic > nonprofit charity
mojito martini smoothie > recipe drink cocktail
beta_testers user_experience ux usability onboarding > product user development
referral affiliate monetize commission > link monetize marketing
sunset ocean_view caption instagram_post > picture caption hashtag social
describe_the_picture this_picture this_photo this_image photograph_of picture_of the_photo > image describe explain
knowledge_base my_documents uploaded_document > document retrieve
basketball_game baseball_game football_game hockey_game > sport ticket event team
ride rides roller > theme park
lose_weight monitor_food food_intake food_consumption > diet calorie track
career_options career_path career_paths careers > career job
rent_apartment studio_apartment > rent apartment house
housewarming baby_shower graduation > gift
icao airport_code runway_wind > aviation weather airport
yankees lakers warriors celtics dodgers red_sox cowboys patriots chiefs packers maple_leafs bruins bulls knicks mets eagles steelers tampa_bay > sport team nba nfl mlb nhl
barcelona real_madrid liverpool arsenal chelsea juventus bayern psg tottenham everton dortmund inter_milan > soccer football match team
commentator commentators kickoff highlights key_plays > match commentary live soccer
farmhouse mansion cottage duplex penthouse > house property purchase
exercising jogging stretching > workout exercise habit
accountable accountability progress_tracking > track habit goal
advancements advancement breakthrough breakthroughs cutting_edge > research paper academic
quantum robotics biodiversity climate_change neuroscience psychology physics chemistry biology > research paper academic course
video_game video_games role_playing_game action_packed > game recommend
fitness_tracker step_counter > fitness product
self_employed freelancing side_hustle > freelance job
curriculum_vitae > resume job
agent agents autonomous autopilot > agent
`;
